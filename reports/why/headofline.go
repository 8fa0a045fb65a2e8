package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// The recursion with equal services gives the avoidable part of the wait.
var headOfLine = rule{
	name:    "head_of_line",
	meaning: "short tasks wait behind long ones",
	cure: "split long tasks into steps, or use a pool for each class: `poolbench study " +
		"variance` shows the cost",
	evidence: func(v *view) string {
		mean, ok := v.known(metric.MeanService)
		if tail := v.valueOrZero(metric.TailService); ok && tail > 2*mean {
			return fmt.Sprintf("a few tasks are long and others wait behind them: %s in the "+
				"tail, %s on average", text.Seconds(tail), text.Seconds(mean)) +
				v.clause(", C² %s", metric.ServiceC2, text.Digits)
		}
		return "tasks wait behind long ones" +
			v.clause(": C² of the services is %s", metric.ServiceC2, text.Digits)
	},
	remedy: func(v *view) string {
		said := "split long tasks into steps, or give them a separate pool"
		even := v.valueOrZero(metric.EvenMeanResponse)
		if even > 0 && even < v.valueOrZero(metric.MeanResponse) {
			return said + ": if all tasks were equally long, the mean response time would change " +
				v.changeText(metric.MeanResponse, even)
		}
		return said
	},
}

const (
	// above this C², variance is the cause of that part: it causes two thirds of a wait at 2, and
	// half at 1 (Pollaczek and Khinchine)
	unevenSeen = 2
	// threshold without the recursion
	unevenUnseen = 4
)

// Uneven work is not a cause if short tasks can overtake long ones.
func (v *view) longTasks() bool {
	short, turns := v.valueOrZero(metric.ShortMeanResponse), v.valueOrZero(metric.MeanBetween)
	if short > 0 && short < v.valueOrZero(metric.MeanResponse)/2 ||
		!v.retries() && turns > minShare*v.valueOrZero(metric.MeanWait) {
		return false
	}
	if v.hasOracle() {
		return v.c2() > unevenSeen && v.valueOrZero(metric.ServiceC2) > unevenSeen
	}
	return v.c2() >= unevenUnseen
}

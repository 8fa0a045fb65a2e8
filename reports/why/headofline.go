package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// headOfLine: short tasks wait behind long ones. The run with services of the mean, by recursion,
// says how much of the wait goes.
var headOfLine = rule{
	name:    "head_of_line",
	meaning: "short tasks wait behind long ones",
	cure:    "steps, or a pool for each class: `poolbench study variance` shows the cost",
	evidence: func(v *view) string {
		mean, ok := v.known(metric.MeanService)
		if tail := v.part(metric.TailService); ok && tail > 2*mean {
			return fmt.Sprintf("a few tasks are long and others wait behind them: %s in the "+
				"tail, %s on average", text.Seconds(tail), text.Seconds(mean)) +
				v.clause(", C² %s", metric.ServiceC2, text.Digits)
		}
		return "tasks wait behind long ones" +
			v.clause(": C² of the services is %s", metric.ServiceC2, text.Digits)
	},
	remedy: func(v *view) string {
		said := "long tasks in steps or in a pool of their own"
		if even := v.part(metric.EvenMeanResponse); even > 0 && even < v.part(metric.MeanResponse) {
			return said + ": if all tasks took equally long, the mean response would change " +
				v.becomes(metric.MeanResponse, even)
		}
		return said
	},
}

const (
	// unevenSeen is the C² above which the variance of the work is the cause of what goes without
	// it: at 2 two thirds of a wait go, by Pollaczek and Khinchine, where half go at 1.
	unevenSeen = 2
	// unevenUnseen is that where the recursion does not apply.
	unevenUnseen = 4
)

// longTasks reports whether the work is uneven enough to be a cause. It is none where short tasks
// get past long ones, in pools of their own or as these work in turns: what waits then is long.
func (v *view) longTasks() bool {
	short, turns := v.part(metric.ShortMeanResponse), v.part(metric.MeanBetween)
	if short > 0 && short < v.part(metric.MeanResponse)/2 ||
		!v.retries() && turns > leastShare*v.part(metric.MeanWait) {
		return false
	}
	if v.oracle() {
		return v.c2() > unevenSeen && v.part(metric.ServiceC2) > unevenSeen
	}
	return v.c2() >= unevenUnseen
}

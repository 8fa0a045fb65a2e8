package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// headOfLine: short tasks wait behind long ones. The run with services of the mean, by recursion,
// says how much of the wait goes.
var headOfLine = rule{
	name: "head_of_line",
	evidence: func(v *view) string {
		said := fmt.Sprintf("tasks wait behind long ones: C² of the services is %s",
			quantity.Digits(v.is("service-c2")))
		if tail := v.is("tail-service-sec"); tail > 2*v.is("mean-service-sec") {
			said = fmt.Sprintf("a few tasks are long and others wait behind them: %s in the "+
				"tail, %s on average, C² %s", quantity.Seconds(tail),
				quantity.Seconds(v.is("mean-service-sec")), quantity.Digits(v.is("service-c2")))
		}
		return said
	},
	remedy: func(v *view) string {
		said := "long tasks in steps or in a pool of their own"
		if even := v.is("even-mean-response-sec"); even > 0 && even < v.is("mean-response-sec") {
			return said + ": if all tasks took equally long, the mean response would change " +
				v.becomes("mean-response-sec", even)
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
	short, turns := v.is("short-mean-response-sec"), v.is("mean-between-sec")
	if short > 0 && short < v.is("mean-response-sec")/2 ||
		!v.retries() && turns > leastShare*v.is("mean-wait-sec") {
		return false
	}
	if v.oracle() {
		return v.c2() > unevenSeen && v.is("service-c2") > unevenSeen
	}
	return v.c2() >= unevenUnseen
}

package why

import (
	"fmt"
	"strconv"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// A rate limit makes tasks wait between attempts, for slots held during back-off, or for a start
// while slots are idle.
var throttling = rule{
	name:    "throttling",
	meaning: "refusals and back-off, or the rate limit of the strategy",
	cure:    "[a rate below the limit](choose-a-limit.md#crawl-without-a-ban)",
	evidence: func(v *view) string {
		said := ""
		switch n := v.valueOrZero(metric.RefusedCalls); {
		case n > 0:
			said = fmt.Sprintf("the target refuses calls, %.0f in all", n)
		case v.refused():
			said = fmt.Sprintf("the target refuses %s of the tasks",
				text.WholeShare(v.valueOrZero(metric.Throttled)))
		case v.rateLimited() > 0:
			return v.clause("the strategy allows %s", metric.Allowed, text.Rate) +
				v.clause(", and tasks wait, although only %s of the slots are busy", metric.Utilisation,
					text.WholeShare)
		}
		return clauses(said, v.clause("a task spends %s in back-off", metric.MeanBetween,
			text.Seconds)+v.clause(", with %s attempts", metric.Attempts, text.Digits))
	},
	remedy: func(v *view) string {
		if !v.refused() && v.rateLimited() > 0 {
			return "a higher rate in the strategy, if the target allows it"
		}
		if v.task.backoff > minShare {
			return "a rate below the target's limit, back-off that releases its slot"
		}
		return "a rate below the target's limit"
	},
}

func (v *view) refused() bool {
	return v.valueOrZero(metric.RefusedCalls) > 0 || v.valueOrZero(metric.Throttled) > 0
}

func (v *view) retries() bool { return v.valueOrZero(metric.Attempts) > 1 }

// backoff returns the mean time, in seconds, for which a task holds its slot between attempts.
func (v *view) backoff() float64 {
	rate, between := v.valueOrZero(metric.Throughput), v.valueOrZero(metric.MeanBetween)
	if !v.retries() || rate <= 0 {
		return 0
	}
	if slots, err := strconv.ParseFloat(v.slots(), 64); err == nil {
		between = min(between, max(slots/rate-v.valueOrZero(metric.MeanService), 0))
	}
	return between
}

// Without further attempts, tasks waited for the turns of other tasks.
func (v *view) betweenCause() string {
	switch {
	case !v.retries():
		return queueing.name
	case !v.refused() && v.valueOrZero(metric.FailedCalls) > 0:
		return target.name
	}
	return throttling.name
}

// The share is the share of idle slots.
func (v *view) rateLimited() float64 {
	used, ok := v.known(metric.Utilisation)
	if !ok || v.valueOrZero(metric.Allowed) == 0 {
		return 0
	}
	return max(1-used, 0)
}

package why

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// queueing: too few slots for what comes. It has what is left of the wait for a slot after all that
// makes services long or uneven; the run with one slot more, by recursion, says what that does.
var queueing = rule{
	name:    "queueing",
	meaning: "all slots, or all processors, were busy",
	cure:    "one slot more (`why` shows the effect on the p99), or fewer or shorter tasks",
	evidence: func(v *view) string {
		said := "all " + strings.TrimSpace(v.slots()+" slots") + " are taken"
		if v.slots() == "1" {
			said = "the one slot is taken"
		}
		switch {
		case !v.oracle(): // which is not known of pools of classes, and of an order of their own
			said = "the slots that they may take are taken"
		case v.turn < leastShare:
			said = fmt.Sprintf("tasks wait for one of %g processors", v.processors())
		}
		if load := v.part(metric.OfferedUtilisation); load > 0 {
			said += ", at a " + v.loads(load)
			if v.queueGrows() {
				said += ", so the queue grows"
			}
		}
		return said
	},
	remedy: func(v *view) string {
		next, known := v.known(metric.NextSlot + v.unit)
		switch {
		case known && next > nearly*v.value:
			return fmt.Sprintf("fewer or shorter tasks: one slot more changes the %s only %s",
				v.response(), v.becomes(v.unit, next))
		case known:
			return fmt.Sprintf("one slot more changes the %s %s", v.response(),
				v.becomes(v.unit, next))
		case v.queueGrows():
			return "more slots, or shed what is beyond capacity"
		}
		return "more slots or shorter tasks"
	},
}

// loads spells the mean load, and that of each stage where the run has stages.
func (v *view) loads(mean float64) string {
	var stages []string
	for whole, ok := v.known(metric.Offered); ok; {
		offered, more := v.known(metric.OfStage(len(stages)+1, metric.Offered))
		if !more {
			break
		}
		stages = append(stages, text.Digits(mean*offered/whole))
	}
	process, _, _ := strings.Cut(v.key("arrival"), ":")
	switch {
	case len(stages) > 0:
		return "load of " + text.List(stages) + " in its stages"
	case process == "poisson" || process == "constant" || process == "":
		return "load of " + text.Digits(mean)
	}
	return "mean load of " + text.Digits(mean)
}

// queueGrows reports whether it does: more comes than the slots can do, and none of it is refused.
func (v *view) queueGrows() bool {
	shed, ok := v.known(metric.Shed)
	return ok && shed == 0 && v.part(metric.OfferedUtilisation) >= 1
}

// nearly is how much of a response must be left for a change to make no difference.
const nearly = 0.97

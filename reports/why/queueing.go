package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// queueing: too few slots for what comes. It has what is left of the wait for a slot after all that
// makes services long or uneven; the run with one slot more, by recursion, says what that does.
var queueing = rule{
	name: "queueing",
	evidence: func(v *view, _ share) string {
		said := "all " + slotsOf(v.slots()) + " are taken"
		if v.slots() == "1" {
			said = "the one slot is taken"
		}
		switch {
		case !v.oracle(): // which is not known of pools of classes, and of an order of their own
			said = "the slots that they may take are taken"
		case v.turn < leastShare:
			said = fmt.Sprintf("tasks wait for one of %g processors", v.processors())
		}
		if load := v.is("offered-utilisation"); load > 0 {
			said += fmt.Sprintf(", at a load of %s", quantity.Digits(load))
			if v.queueGrows() {
				said += ", so the queue grows"
			}
		}
		return said
	},
	remedy: func(v *view, s share) string {
		next, known := v.is("next-slot-"+v.unit), v.has("next-slot-"+v.unit)
		switch {
		case known && next > nearly*v.value:
			return fmt.Sprintf("one slot more leaves the %s at %s: fewer or shorter tasks",
				v.response(), quantity.Seconds(next))
		case known:
			return fmt.Sprintf("one slot more takes the %s from %s to %s", v.response(),
				quantity.Seconds(v.value), quantity.Seconds(next))
		case v.queueGrows():
			return "more slots, or shed what is beyond capacity"
		}
		return "more slots or shorter tasks: " + v.without(s)
	},
}

// queueGrows reports whether it does: more comes than the slots can do, and none of it is refused.
func (v *view) queueGrows() bool { return v.is("offered-utilisation") >= 1 && v.is("shed/op") == 0 }

// nearly is how much of a response must be left for a change to make no difference.
const nearly = 0.97

// slotsOf spells so many slots, where the name of the run tells.
func slotsOf(limit string) string {
	if limit == "" {
		return "slots"
	}
	return limit + " slots"
}

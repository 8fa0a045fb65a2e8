package why

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// queueing gets the remaining wait for a slot. The recursion with one more slot gives the effect.
var queueing = rule{
	name:    "queueing",
	meaning: "all slots, or all processors, were busy",
	cure:    "one slot more (`why` shows the effect on the p99), or fewer or shorter tasks",
	evidence: func(v *view) string {
		if stage, ok := v.known(metric.Bottleneck); ok {
			return fmt.Sprintf("stage %.0f of the pipeline is the bottleneck, %s busy; the wait "+
				"includes the time in the stages around the work", stage,
				text.Share(v.valueOrZero(metric.BottleneckUse)))
		}
		said := "all " + strings.TrimSpace(v.slots()+" slots") + " are taken"
		if v.slots() == "1" {
			said = "the one slot is taken"
		}
		switch {
		case !v.hasOracle(): // unknown for pools of classes, and for other service orders
			said = "the slots that these tasks may use are busy"
		case v.turn < minShare:
			said = fmt.Sprintf("tasks wait for one of %g processors", v.processors())
		}
		if load := v.valueOrZero(metric.OfferedUtilisation); load > 0 {
			said += ", at a " + v.loadText(load)
			if v.queueGrows() {
				said += ", so the queue grows"
			}
		}
		return said
	},
	remedy: func(v *view) string {
		next, known := v.known(metric.NextSlot + v.unit)
		stage, staged := v.known(metric.Bottleneck)
		switch {
		case staged && v.valueOrZero(metric.BottleneckUse) != v.valueOrZero(metric.Utilisation):
			return fmt.Sprintf("more workers in stage %.0f, or less time there", stage)
		case known && next > nearly*v.value:
			return fmt.Sprintf("fewer or shorter tasks: one slot more changes the %s only %s",
				v.response(), v.changeText(v.unit, next))
		case known:
			return fmt.Sprintf("one slot more changes the %s %s", v.response(),
				v.changeText(v.unit, next))
		case v.queueGrows():
			return "more slots, or shed the load beyond capacity"
		}
		return "more slots or shorter tasks"
	},
}

func (v *view) loadText(mean float64) string {
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

func (v *view) queueGrows() bool {
	shed, ok := v.known(metric.Shed)
	return ok && shed == 0 && v.valueOrZero(metric.OfferedUtilisation) >= 1
}

// From this share of a response on, a change is negligible.
const nearly = 0.97

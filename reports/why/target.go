package why

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/targets"
)

// The evidence is the target's clock, or services that grow with the tasks in service.
var target = rule{
	name:    "target",
	meaning: "the service that the tasks call has a queue, or slows down",
	cure:    "more capacity there, or a limit that does not exceed it",
	evidence: func(v *view) string {
		if v.serverOnly() {
			return clauses(v.clause("the server needs %s on average", metric.MeanService,
				text.Seconds), "a client cannot observe the cause")
		}
		in, ok := v.known(metric.MeanTarget)
		if v.growth != nil && in < minShare*v.valueOrZero(metric.MeanService) {
			return v.growth.String()
		}
		said := "tasks wait for the target"
		if ok {
			said = "it has " + text.Seconds(in) +
				v.clause(", of a service time of %s", metric.MeanService, text.Seconds)
		}
		if n := v.valueOrZero(metric.DelayedCalls); n > 0 {
			said += fmt.Sprintf("; %.0f calls waited in the target", n)
		}
		return said
	},
	remedy: func(v *view) string {
		if v.serverOnly() {
			return "examine the server: poolbench sees only its answers"
		}
		remedy := "more capacity in the target, or a limit up to the number of calls that it " +
			"serves at once"
		name, _, _ := strings.Cut(v.key("target"), ":")
		if spec, err := targets.Lookup(name); err == nil { // otherwise another program's target
			remedy = cmp.Or(spec.Remedy, remedy)
		}
		if other, ok := v.known(metric.NoTarget + v.unit); ok {
			return fmt.Sprintf("%s; without the target the %s would change %s", remedy,
				v.response(), v.changeText(v.unit, other))
		}
		return remedy
	},
}

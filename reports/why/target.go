package why

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// target: what the tasks call takes long, as it has a queue of its own or slows down. The target's
// clock says so, or services that grow with what is in flight; of a server nothing but the answer
// is seen.
var target = rule{
	name: "target",
	evidence: func(v *view) string {
		service := v.is("mean-service-sec")
		if v.outside() {
			return fmt.Sprintf("the server takes %s on average; from outside no more can be told",
				quantity.Seconds(service))
		}
		if v.is("mean-target-sec") < leastShare*service && v.growth != nil {
			return v.growth.String()
		}
		said := fmt.Sprintf("it has %s of a service of %s", quantity.Seconds(v.is("mean-target-sec")),
			quantity.Seconds(service))
		if n := v.is("delayed-calls"); n > 0 {
			said += fmt.Sprintf("; %.0f calls waited in it", n)
		}
		return said
	},
	remedy: func(v *view) string {
		if v.outside() {
			return "look at the server: poolbench knows when it answers"
		}
		name, _, _ := strings.Cut(v.key("target"), ":")
		room := "more room in the target, or no more slots than it serves at once"
		switch name { // slow however few calls it has: room is no remedy
		case "flaky":
			room = "fewer slow calls, or a second attempt beside a slow one, as hedged makes, where " +
				"each call has a chance of its own (draw=call)"
		case "freeze":
			room = "shorter standstills of the target, which no number of slots cures"
		}
		if v.has("no-target-" + v.unit) {
			return fmt.Sprintf("%s; without the target the %s would change %s", room, v.response(),
				v.becomes(v.unit, v.is("no-target-"+v.unit)))
		}
		return room
	},
}

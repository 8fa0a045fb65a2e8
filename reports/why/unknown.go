package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// unknown has what nothing explains.
var unknown = rule{
	name: "unknown",
	evidence: func(v *view, s share) string {
		return fmt.Sprintf("%s of the %s, which no metric explains",
			quantity.Seconds(float64(s)*v.value), v.response())
	},
	remedy: func(*view, share) string {
		return "look at the slowest tasks, with --profile and --flight where they are"
	},
}

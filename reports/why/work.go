package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// work: the tasks themselves take that long.
var work = rule{
	name: "work",
	evidence: func(v *view, _ share) string {
		if tail := v.is("tail-service-sec"); tail > 2*v.is("mean-service-sec") {
			return fmt.Sprintf("the slowest tasks are long themselves, %s; the mean is %s",
				quantity.Seconds(tail), quantity.Seconds(v.is("mean-service-sec")))
		}
		return fmt.Sprintf("the task itself takes %s on average",
			quantity.Seconds(v.is("mean-service-sec")))
	},
	remedy: func(*view, share) string { return "a shorter task: no pool helps" },
}

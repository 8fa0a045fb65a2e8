package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// overrunNotes returns a line on attempts that continued after their timeout.
func overrunNotes(rows []Row) []string {
	var ranOn []string
	for _, r := range rows {
		if n, ok := r.Estimate(metric.Overruns); ok && n.Mid > 0 {
			ranOn = append(ranOn, fmt.Sprintf("%s %s (mean %s, longest %s)", r.Strategy,
				r.Show(metric.Overruns), r.Show(metric.MeanOverrun), r.Show(metric.MaxOverrun)))
		}
	}
	if ranOn == nil {
		return nil
	}
	return []string{"attempts that continued after their timeout, because their tasks ignored " +
		"the context: " + text.List(text.Truncate(ranOn, 3)) + "; these attempts count as failed, and " +
		"kept their slots until they ended"}
}

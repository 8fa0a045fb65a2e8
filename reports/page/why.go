package page

import (
	"strings"

	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

type explainedGroup struct {
	Title       string
	Shown, Rest []why.ScenarioCauses
}

const (
	maxExplained = 6
	maxOpen      = 2
)

// explained omits studies, which have hundreds of runs.
func explained(r *results.Results) (groups []explainedGroup, more int) {
	of, free := r.StudyOf(), &results.Results{}
	for i := range r.Runs {
		if of[i] < 0 {
			free.Runs = append(free.Runs, r.Runs[i])
		}
	}
	for i, g := range why.Groups(free) {
		if i >= maxExplained {
			more += len(g)
			continue
		}
		title := strings.Join(results.Words(g[0].Place()), ", ")
		open := min(len(g), maxOpen)
		last := min(len(g), maxExplained)
		groups = append(groups, explainedGroup{title, g[:open], g[open:last]})
		more += len(g) - last
	}
	return groups, more
}

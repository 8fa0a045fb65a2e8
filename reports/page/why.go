package page

import (
	"strings"

	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

// An explainedGroup are scenarios that differ in their strategy alone, with why they are slow, the
// slowest first.
type explainedGroup struct {
	Title       string
	Shown, Rest []why.Explained
}

// Of many scenarios few are explained on the page, and of these the slowest are open.
const (
	mostExplained = 6
	mostOpen      = 2
)

// explained are the runs that were made for no study, which has hundreds, and how many more there
// are.
func explained(r *results.Results) (groups []explainedGroup, more int) {
	of, free := r.StudyOf(), &results.Results{}
	for i := range r.Runs {
		if of[i] < 0 {
			free.Runs = append(free.Runs, r.Runs[i])
		}
	}
	for i, g := range why.Groups(free) {
		if i >= mostExplained {
			more += len(g)
			continue
		}
		title := strings.Join(results.Words(g[0].Place()), ", ")
		open := min(len(g), mostOpen)
		last := min(len(g), mostExplained)
		groups = append(groups, explainedGroup{title, g[:open], g[open:last]})
		more += len(g) - last
	}
	return groups, more
}

package page

import (
	"strings"

	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

type explainedFamily struct {
	Title       string
	Shown, Rest []why.Entry
}

const (
	maxExplained = 6 // families, and entries of a family
	maxOpen      = 2 // entries of the page that are not folded, at least one of each family
)

// explained omits studies, which have hundreds of runs.
func explained(r *results.Results) (families []explainedFamily, more int) {
	of, free := r.StudyOf(), &results.Results{}
	for i := range r.Runs {
		if of[i] < 0 {
			free.Runs = append(free.Runs, r.Runs[i])
		}
	}
	left := maxOpen
	for i, f := range why.Families(why.Groups(free)) {
		last := min(len(f.Entries), maxExplained)
		if i >= maxExplained {
			last = 0
		}
		for _, e := range f.Entries[last:] {
			more += e.Count
		}
		if last == 0 {
			continue
		}
		open := min(last, max(left, 1))
		left -= open
		families = append(families, explainedFamily{strings.Join(results.Words(f.Place), ", "),
			f.Entries[:open], f.Entries[open:last]})
	}
	return families, more
}

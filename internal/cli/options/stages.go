package options

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench/arrivals"
)

func parseStages(text string) (string, error) {
	if _, err := arrivals.Staged(arrivals.Variant{}, text); err != nil {
		return "", err
	}
	return text, nil
}

// Stages also set the length of a run, so conflicting words are errors.
func (w Words) stages(m *matrix) (complaints []error) {
	if m.stages == "" { // not given, or already reported as invalid
		return nil
	}
	given := w["stages"][0]
	for _, x := range axes() {
		if other := w[x.name]; other != nil && slices.Contains(x.excludes, "stages") {
			complaints = append(complaints, fmt.Errorf("%s: stages define loads and durations, "+
				"so %s cannot be given in addition", given.Where, x.name))
		}
	}
	if len(m.Arrivals) == 0 {
		m.Arrivals = []arrivals.Variant{{}}
	}
	for i, of := range m.Arrivals {
		v, err := arrivals.Staged(of, m.stages)
		if err != nil {
			complaints = append(complaints, fmt.Errorf("%s: %w", given.Where, err))
			continue
		}
		m.Arrivals[i] = v
		m.Stop.Duration = 0
		for _, s := range v.Stages() {
			m.Stop.Duration += s.For
		}
	}
	return complaints
}

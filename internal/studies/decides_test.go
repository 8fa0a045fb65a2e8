package studies

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

var losses = []string{"shed/op", "throttled/op", "failed/op", "abandoned/op"}

// A metric in Decides must affect the finding.
func TestDecides(t *testing.T) {
	known := map[string]bool{}
	for _, m := range observe.Metrics() {
		known[m.Unit] = true
	}
	for _, s := range All() {
		for _, unit := range s.Decides {
			if !known[unit] && !slices.ContainsFunc(observe.PartMetrics(unit),
				func(m observe.MetricInfo) bool { return m.Unit == unit }) {
				t.Errorf("study %s: no run reports %s", s.Name, unit)
			}
		}
		if len(s.Decides) == 0 {
			t.Errorf("study %s does not name the metrics that decide it", s.Name)
			continue
		}
		// different values in all scenarios and repetitions, with and without lost tasks
		because := func(lossless bool, has func(unit string) bool) string {
			m := evidence.FromResults(nil)
			for i, sc := range s.Cells(Full) {
				if name := sc.Strategy.String(); !slices.Contains(m.Styles, name) {
					m.Styles = append(m.Styles, name)
				}
				for seed := range uint64(3) {
					m.Add(sc.Name(), evidence.Repetition{Seed: seed, Tasks: 1000,
						Metric: func(unit string) (float64, bool) {
							if unit == "verdict" || unit == "broken-laws" ||
								lossless && slices.Contains(losses, unit) {
								return 0, true
							}
							return 0.1 + 0.01*float64(i%7) + 0.001*float64(seed), has(unit)
						}})
				}
			}
			f := s.Judge(m)
			return string(f.Verdict) + ": " + f.Because + strings.Join(printed(f), "; ")
		}
		matters := func(unit string, lossless bool) bool {
			return because(lossless, func(of string) bool { return of != unit }) !=
				because(lossless, func(string) bool { return true })
		}
		for _, unit := range s.Decides {
			if !matters(unit, false) && !matters(unit, true) {
				t.Errorf("study %s finds the same without %s", s.Name, unit)
			}
		}
	}
}

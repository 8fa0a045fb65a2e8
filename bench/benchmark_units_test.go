package bench

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
)

// The lines of a first round with one task must declare the metrics of a longer one, and no others.
func TestUnitLines(t *testing.T) {
	s := Scenario{Strategy: strategies.MustParse("semaphore"), Clock: Virtual, Seed: 1,
		Stop: Stop{Tasks: 1}}
	first, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop.Tasks = 4000
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	d := unitSet{units: map[string]bool{}}
	lines := d.lines(first)
	declares := func(m observe.MetricInfo) bool {
		return strings.Contains(lines, "Unit "+strings.Replace(m.Unit, "-sec", "-ns", 1)+" ")
	}
	for _, m := range observe.Metrics() {
		if _, has := r.Metric(m.Unit); has && m.Better != "" && !declares(m) {
			t.Errorf("%s is not declared in\n%s", m.Unit, lines)
		}
	}
	if strings.Contains(lines, "tenant") || strings.Contains(lines, "found-") {
		t.Errorf("metrics of other scenarios are declared:\n%s", lines)
	}
	if again := d.lines(first); again != "" {
		t.Errorf("declared again: %s", again)
	}
}

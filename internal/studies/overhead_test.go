package studies

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/strategies"
)

// sampleOverhead returns runs with 400 ns per task, except for the first strategies. scatter is the
// relative difference between repetitions.
func sampleOverhead(first int, seconds, scatter, waited, shed float64) *evidence.Measured {
	i := map[string]int{}
	return synthetic(overheadCells(Quick, dispatchers()...), 3,
		func(sc bench.Scenario, repetition int) map[string]float64 {
			name := sc.Strategy.String()
			if _, seen := i[name]; !seen {
				i[name] = len(i)
			}
			took := 400e-9
			values := map[string]float64{"allocs/op": 1, "cpu-wait": waited}
			if i[name] < first {
				took = seconds * (1 + scatter*float64(repetition))
				values["shed/op"] = shed
			}
			values["ops/s"] = 1 / took
			return values
		})
}

func TestOverheadVerdicts(t *testing.T) {
	all := len(dispatchers())
	for _, c := range []struct {
		name                           string
		first                          int
		seconds, scatter, waited, shed float64
		want                           decide.ClaimVerdict
		says                           string
	}{
		{"all below", 0, 0, 0, 0, 0, decide.Holds,
			"the overhead of ALL of ALL strategies is below a microsecond per task, including " +
				"poolbench itself (400 ns)"},
		{"all below, crowded", 0, 0, 0, 0.9, 0, decide.Holds,
			"the overhead of ALL of ALL strategies is below a microsecond per task, including " +
				"poolbench itself (400 ns)"}, // other programs only make it longer
		{"two above", 2, 3e-6, 0.01, 0, 0, decide.Depends,
			"on the strategy: the overhead of ALL−2 of ALL strategies is below a microsecond per " +
				"task, including poolbench itself, and 2 take at least a microsecond more than " +
				"the cheapest, THIRD"},
		{"two above, crowded", 2, 3e-6, 0, 0.9, 0, decide.ClaimUndecided,
			"the overhead of ALL−2 of ALL strategies is below a microsecond per task, including " +
				"poolbench itself; for the other 2, noise of the machine prevents a decision"},
		{"two in between", 2, 1.2e-6, 0, 0, 0, decide.ClaimUndecided,
			"the overhead of ALL−2 of ALL strategies is below a microsecond per task, including " +
				"poolbench itself; for the other 2, noise of the machine prevents a decision"},
		{"two scattered", 2, 0.6e-6, 0.5, 0, 0, decide.ClaimUndecided,
			"the overhead of ALL−2 of ALL strategies is below a microsecond per task, including " +
				"poolbench itself; for the other 2, noise of the machine prevents a decision"},
		{"all but one above", all - 1, 3e-6, 0, 0, 0, decide.Depends,
			"on the strategy: the overhead of 1 of ALL strategies is below a microsecond per " +
				"task, including poolbench itself, and ALL−1 take at least a microsecond more " +
				"than the cheapest, workerpool"},
		{"two shed", 2, 3e-6, 0, 0, 0.1, decide.ClaimUndecided,
			"the overhead of ALL−2 of ALL strategies is below a microsecond per task, including " +
				"poolbench itself; for the other 2, noise of the machine prevents a decision"},
	} {
		says := strings.NewReplacer("ALL−2", strconv.Itoa(all-2), "ALL−1", strconv.Itoa(all-1),
			"ALL", strconv.Itoa(all), "THIRD", dispatchers()[2].String()).Replace(c.says)
		m := sampleOverhead(c.first, c.seconds, c.scatter, c.waited, c.shed)
		expect(t, c.name, judgeAndDraw(t, m, judgeOverhead, mustLookup(t, "overhead").Draw...), c.want,
			says)
	}
}

// Only the two strategies in the doc comment, and those that wait for disks or servers, are
// excluded. No strategy with a rate may use its default rate.
func TestOverheadStrategies(t *testing.T) {
	in := map[string]bool{}
	for _, v := range dispatchers() {
		in[v.Spec.Name] = true
		for _, k := range v.Spec.Keys {
			if k.Name == "rate" && v.Values.Float("rate") < 1e9 {
				t.Errorf("%s limits the rate", v)
			}
		}
		for size := Quick; size <= Full; size++ {
			if sc := overheadCells(size, dispatchers()...)[0]; sc.Stop.Tasks > sc.Queue {
				t.Errorf("a batch of %d does not fit into %d slots", sc.Stop.Tasks, sc.Queue)
			}
		}
	}
	for _, spec := range strategies.All() {
		if in[spec.Name] == (spec.RealClock || spec.Name == "concurrency_limits" ||
			spec.Name == "failsafe_priority") {
			t.Errorf("%s takes part: %v", spec.Name, in[spec.Name])
		}
	}
}

func TestOverheadFurther(t *testing.T) {
	s := mustLookup(t, "overhead")
	cells := s.With(Quick, "partitioned:quantum=2ms")
	all := append(overheadCells(Quick, dispatchers()...), cells...)
	m := synthetic(all, 2, func(sc bench.Scenario, _ int) map[string]float64 {
		return map[string]float64{"ops/s": 2e6, "allocs/op": 1}
	})
	if f := s.Judge(m); f.Verdict != decide.Holds ||
		!strings.Contains(f.Because, fmt.Sprintf("%d of %d", len(all), len(all))) {
		t.Errorf("%v, %q", f.Verdict, f.Because)
	}
	if s.Takes(strategy("concurrency_limits")[0]) == nil {
		t.Error("a strategy that refuses nearly all of a batch takes part")
	}
}

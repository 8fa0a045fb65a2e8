package studies

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// wellSaid judges and draws, and looks for numbers that are none.
func wellSaid(t *testing.T, m *measured, judge func(*measured) Finding, draw func(*measured) ([]reports.Figure, error)) Finding {
	t.Helper()
	f := judge(m)
	said := f.Because + strings.Join(f.Lines, " ")
	if f.Verdict != Undecided {
		figures, err := draw(m)
		if err != nil {
			t.Error(err)
		}
		for _, fig := range figures {
			for _, layout := range []charts.Layout{charts.Wide, charts.Narrow} {
				var svg bytes.Buffer
				if err := fig.SVG(&svg, layout); err != nil {
					t.Errorf("%s: %v", fig.Name, err)
				}
				said += svg.String() + fig.Caption
			}
			if len(fig.Notes) > 0 {
				t.Errorf("%s leaves out: %q", fig.Name, fig.Notes)
			}
		}
	}
	for _, wrong := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(said, wrong) {
			t.Errorf("%s is said: %s %q", wrong, f.Because, f.Lines)
		}
	}
	return f
}

// measureCells runs each scenario once.
func measureCells(t *testing.T, cells ...bench.Scenario) *measured {
	t.Helper()
	var results []*bench.Result
	for _, sc := range cells {
		r, err := bench.Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Broken) > 0 {
			t.Errorf("%s breaks %q", r.Name, r.Broken)
		}
		results = append(results, r)
	}
	return fromResults(results)
}

func TestUnboundedVerdicts(t *testing.T) {
	const free = "unbounded"
	for name, c := range map[string]struct {
		lost func(strategy string, limit int) float64
		want Verdict
	}{
		"no bound keeps": {func(s string, _ int) float64 { return map[bool]float64{true: 0.8}[s == free] }, Holds},
		"a wide one not": {func(s string, limit int) float64 { return map[bool]float64{true: 0.8}[s == free || limit > 2000] }, Depends},
		"one of four not": {func(s string, _ int) float64 {
			return map[string]float64{free: 0.8, "errgroup_limit": 0.002}[s]
		}, Depends},
		"each loses":   {func(string, int) float64 { return 0.8 }, DoesNotHold},
		"nothing lost": {func(string, int) float64 { return 0 }, DoesNotHold},
	} {
		study, err := Lookup("unbounded")
		if err != nil {
			t.Fatal(err)
		}
		cells := study.Cells(Quick)
		of := func(sc bench.Scenario, i int) map[string]float64 {
			lost := c.lost(sc.Strategy.String(), sc.Limit)
			return map[string]float64{"shed/op": 0, "throttled/op": lost, "failed/op": 0, "abandoned/op": 0, "ops/s": 2000 + float64(i), "goodput-ops/s": 200,
				"makespan-sec": 5, "attempts/op": 1}
		}
		if f := wellSaid(t, synthetic(cells, 3, of), judgeUnbounded, drawUnbounded); f.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%s)", name, f.Verdict, c.want, f.Because)
		}
		if f := judgeUnbounded(synthetic(cells[:3], 3, of)); f.Verdict != Undecided {
			t.Errorf("%s: %v of three of the scenarios", name, f.Verdict)
		}
	}
}

// TestUnbounded runs what the study says: a bound at the size of the pool loses nothing, and has no more in time than none has; a bound of all
// loses what none loses.
func TestUnbounded(t *testing.T) {
	free, pool := unboundedCells("unbounded", crowdConns)[0], unboundedCells(pooled, crowdConns, crowdConns, crowd)
	m := measureCells(t, free, pool[0], pool[1])
	if lost := lostShare(m, pool[0]).mid; lost != 0 {
		t.Errorf("a bound of %d loses %v of the tasks", crowdConns, lost)
	}
	// While all connections are busy they complete a Poisson number of tasks; five standard deviations are what chance is granted.
	served := crowdConns * float64(crowdWait) / float64(crowdMean)
	for _, sc := range []bench.Scenario{free, pool[1]} {
		if done, most := crowd*(1-lostShare(m, sc).mid), crowdConns+served+5*math.Sqrt(served); done > most {
			t.Errorf("%s at limit %d completes %v tasks, want %v at most", sc.Strategy, sc.Limit, done, most)
		}
	}
	if bound, none := crowd*inTime(m, pool[0]).mid, crowd*inTime(m, free).mid; math.Abs(bound-none) > 5*math.Sqrt(2*served) {
		t.Errorf("%v tasks are in time with a bound, %v without", bound, none)
	}
}

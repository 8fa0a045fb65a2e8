package studies

import (
	"bytes"
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

func judgeAndDraw(
	t *testing.T, m *evidence.Measured, judge func(*evidence.Measured) decide.Finding,
	draw ...drawing,
) decide.Finding {
	t.Helper()
	f := judge(m)
	if f.Verdict != decide.ClaimUndecided {
		figures, err := Study{Draw: draw}.figures(m)
		if err != nil || len(figures) != len(draw) {
			t.Errorf("%d figures, want %d; %v", len(figures), len(draw), err)
		}
		for _, fig := range figures {
			checkSentences(t, decide.Finding{Because: fig.Title + ". " + fig.Subtitle,
				Lines: []string{fig.Caption}})
			if fig.Chart == nil {
				continue
			}
			for _, layout := range []charts.Layout{charts.Wide, charts.Narrow} {
				var svg bytes.Buffer
				if err := fig.Chart.SVG(&svg, layout); err != nil {
					t.Errorf("%s: %v", fig.Name, err)
				}
				if none := sentenceFaults["a number that is none"]; none.MatchString(svg.String()) {
					t.Errorf("%s has %q", fig.Name, none.FindString(svg.String()))
				}
			}
			if len(fig.Chart.Notes) > 0 {
				t.Errorf("%s leaves out: %q", fig.Name, fig.Chart.Notes)
			}
		}
	}
	checkSentences(t, f)
	return f
}

// measureCells runs each scenario twice, the minimum for an interval.
func measureCells(t *testing.T, cells ...bench.Scenario) *evidence.Measured {
	t.Helper()
	var results []*bench.Result
	for i := range 2 * len(cells) {
		sc := cells[i/2]
		sc.Seed = uint64(1 + i%2)
		r := runOnce(t, sc)
		if len(r.Broken) > 0 {
			t.Errorf("%s breaks %q", r.Name, r.Broken)
		}
		results = append(results, r)
	}
	return evidence.FromResults(results)
}

func TestUnboundedVerdicts(t *testing.T) {
	const free = "unbounded"
	for name, c := range map[string]struct {
		lost func(strategy string, limit int) float64
		want decide.ClaimVerdict
		says string
	}{
		"no bound keeps": {func(s string, _ int) float64 {
			return map[bool]float64{true: 0.8}[s == free]
		}, decide.Holds,
			"without a bound 80 % of 10000 tasks are lost; with each bound next to " +
				"none (0 %)"},
		"a wide one not": {func(s string, limit int) float64 {
			return map[bool]float64{true: 0.8}[s == free || limit > 2000]
		}, decide.Depends,
			"on the bound (without a bound 80 % of 10000 tasks are lost): it holds " +
				"for 50 (0 %), 100 (0 %), 200 (0 %) and 2 more, not for 4000 (80 %) " +
				"and 10000 (80 %)"},
		"one of four not": {func(s string, _ int) float64 {
			return map[string]float64{free: 0.8, "errgroup_limit": 0.002}[s]
		}, decide.Depends,
			"on the bound (without a bound 80 % of 10000 tasks are lost): it holds " +
				"for 2000 (0 %), 4000 (0 %) and 10000 (0 %), not for 50 (0.2 %), 100 " +
				"(0.2 %), 200 (0.2 %) and 1000 (0.2 %)"},
		"each loses": {func(string, int) float64 { return 0.8 }, decide.DoesNotHold,
			"without a bound 80 % of 10000 tasks are lost; with each bound too " +
				"many (80 %)"},
		"nothing lost": {func(string, int) float64 { return 0 }, decide.DoesNotHold,
			"the pool is not exhausted: without a bound 0 % of 10000 tasks are lost"},
	} {
		study, err := Lookup("unbounded")
		if err != nil {
			t.Fatal(err)
		}
		cells := study.Cells(Quick)
		of := func(sc bench.Scenario, i int) map[string]float64 {
			lost := c.lost(sc.Strategy.String(), sc.Limit)
			return map[string]float64{"shed/op": 0, "throttled/op": lost, "failed/op": 0,
				"abandoned/op": 0, "ops/s": 2000 + float64(i), "goodput-ops/s": 200,
				"makespan-sec": 5, "attempts/op": 1}
		}
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeUnbounded, drawUnbounded), c.want,
			c.says)
		if f := judgeUnbounded(synthetic(cells[:3], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of three of the scenarios", name, f.Verdict)
		}
	}
}

func TestUnbounded(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	free, pool := unboundedCells("unbounded", crowdConns)[0],
		unboundedCells(pooled, crowdConns, crowdConns, crowd)
	m := measureCells(t, free, pool[0], pool[1])
	if lost := m.LostShare(pool[0]).Mid; lost != 0 {
		t.Errorf("a bound of %d loses %v of the tasks", crowdConns, lost)
	}
	// While all connections are busy, the number of completions has a Poisson distribution. The
	// tolerance is five standard deviations.
	served := crowdConns * float64(crowdWait) / float64(crowdMean)
	for _, sc := range []bench.Scenario{free, pool[1]} {
		if done, most := crowd*(1-m.LostShare(sc).Mid), crowdConns+served+
			5*math.Sqrt(served); done > most {
			t.Errorf("%s at limit %d completes %v tasks, want %v at most", sc.Strategy,
				sc.Limit, done, most)
		}
	}
	if bound, none := crowd*m.InTime(pool[0]).Mid,
		crowd*m.InTime(free).Mid; math.Abs(bound-none) > 5*math.Sqrt(2*served) {
		t.Errorf("%v tasks are in time with a bound, %v without", bound, none)
	}
}

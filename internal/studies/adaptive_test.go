package studies

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
)

func TestAdaptiveVerdicts(t *testing.T) {
	study, err := Lookup("adaptive")
	if err != nil {
		t.Fatal(err)
	}
	fails := func(names ...string) func(string, string) (float64, float64) {
		return func(name, target string) (rate, p99 float64) {
			if target == "brownout" && slices.Contains(names, name) {
				return 400, 9
			}
			return 800, 0.02
		}
	}
	for name, c := range map[string]struct {
		of   func(name, target string) (rate, p99 float64)
		want decide.ClaimVerdict
		says string
		row  string // expected row of adaptive_aimd
	}{
		"all near": {fails(), decide.Holds, "each adaptive limit is near the best fixed one",
			"×1 ×1 ×1 ×1 ×1 yes"},
		"none near": {fails(adaptives...), decide.DoesNotHold,
			"no adaptive limit is near the best fixed one in each setting", "50 % ×1 50 % ×1 ×1 no"},
		"one near": {fails(adaptives[1:]...), decide.Depends,
			"on the strategy: it holds for adaptive_aimd, not for adaptive_gradient, " +
				"adaptive_vegas, adaptive_envoy and 5 more", "×1 ×1 ×1 ×1 ×1 yes"},
		"late with a freeze": {func(_, target string) (rate, p99 float64) {
			if target == "freeze" {
				return 800, 0.06
			}
			return 800, 0.02
		}, decide.DoesNotHold, "no adaptive limit is near the best fixed one in each setting",
			"×1 ×1 ×1 ×3 ×1 no"},
	} {
		cells := study.Cells(Quick)
		of := func(sc bench.Scenario, i int) map[string]float64 {
			rate, p99 := 800.0, 0.02
			switch name := sc.Strategy.String(); {
			case name != pooled:
				rate, p99 = c.of(name, sc.Target.String())
			case sc.Limit == 12: // as fast as 10, and late
				p99 = 0.05
			case sc.Limit != 10:
				rate, p99 = 400, 0.001
			}
			return map[string]float64{metric.Throughput: rate, metric.P99Response: p99,
				metric.MeanLimit: 50}
		}
		f := judgeAndDraw(t, synthetic(cells, 3, of), judgeAdaptive, study.Draw...)
		expect(t, name, f, c.want, c.says)
		if row := strings.Join(f.Table.Rows[0], " "); row != "adaptive_aimd "+c.row {
			t.Errorf("%s: %q", name, row)
		}
		if f := judgeAdaptive(synthetic(cells[:8], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without a fixed limit", name, f.Verdict)
		}
	}
}

// In a brownout, learned limits rise above the right limit and lose a third of the throughput.
// Without a brownout, they lose no throughput.
func TestAdaptive(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	brownout, noise := adaptiveSettings[0], adaptiveSettings[len(adaptiveSettings)-1]
	names := []string{"adaptive_vegas", "adaptive_gradient:initial=10", "failsafe_adaptive"}
	var cells []bench.Scenario
	for _, s := range []adaptiveSetting{brownout, noise} {
		cells = append(cells, s.fixed(10), s.fixed(20))
		for _, name := range names {
			cells = append(cells, s.cell(name))
		}
	}
	m := measureCells(t, cells...)
	for s, want := range map[adaptiveSetting]int{brownout: 10, noise: 20} {
		if best, ok := s.best(m); best != want || !ok {
			t.Errorf("%s: the best limit is %d, want %d", s.name, best, want)
		}
	}
	for _, name := range names {
		lost := brownout.regret(m, name)
		if at := m.Mean(brownout.cell(name), metric.MeanLimit).Mid; lost.kept.Mid > 0.72 || at < 40 {
			t.Errorf("%s keeps %v of the throughput in a brownout, at a mean limit of %v", name,
				lost.kept, at)
		}
		if kept := noise.regret(m, name); kept.kept.Mid < 0.99 {
			t.Errorf("%s keeps %v of the throughput without a brownout", name, kept.kept)
		}
	}
}

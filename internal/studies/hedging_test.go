package studies

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

func TestHedgingVerdicts(t *testing.T) {
	study, err := Lookup("hedging")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Quick)
	loadOf := func(sc bench.Scenario) float64 { return sc.Load.PerSecond * hedgeMean / limit }
	for name, c := range map[string]struct {
		times func(target string, load float64) float64 // ratio of the p99 with hedging to without
		more  float64                                   // ratio of calls
		want  decide.ClaimVerdict
	}{
		"as claimed":     {func(string, float64) float64 { return 0.4 }, 0.05, decide.Holds},
		"never":          {func(string, float64) float64 { return 1 }, 0.05, decide.DoesNotHold},
		"a little":       {func(string, float64) float64 { return 0.9 }, 0.02, decide.DoesNotHold},
		"for more calls": {func(string, float64) float64 { return 0.4 }, 0.08, decide.DoesNotHold},
		"by the load": {func(_ string, load float64) float64 { return 0.3 + load }, 0.04,
			decide.Depends},
		"by the service": {func(target string, _ float64) float64 {
			return map[bool]float64{true: 0.3, false: 1}[strings.Contains(target, "draw=call")]
		}, 0.04, decide.Depends},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			v := map[string]float64{p99Response: 0.1 + 0.001*float64(i), "attempts/op": 1,
				"mean-service-sec": 0.01}
			if sc.Strategy.String() == hedging {
				v[p99Response] *= c.times(sc.Target.String(), loadOf(sc))
				v["attempts/op"] += c.more
				v["hedges"], v["hedge-wins"] = 1000, 400
			}
			return v
		}
		f := judgeAndDraw(t, synthetic(cells, 3, of), judgeHedging, drawHedging)
		if f.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", name, f.Verdict, f.Because, c.want)
		}
		if f := judgeHedging(synthetic(cells[:12], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without a hedge", name, f.Verdict)
		}
	}
}

// With a second attempt after d, a response exceeds t with probability S(t)·S(t−d). If there is a
// slot for each attempt, the p99 falls to a third. The p99 does not fall if the task itself is
// long, and it rises at a fully loaded server.
func TestHedging(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const low, high = 0, 3 // loads
	var cells []bench.Scenario
	add := func(service, load int) {
		for _, name := range hedgers {
			sc := hedgesOf(name, service)[load]
			sc.Stop.Tasks = 10_000
			cells = append(cells, sc)
		}
	}
	add(0, low)
	add(1, high)
	add(2, low)
	m := measureCells(t, cells...)
	ratio := func(i int) float64 { return m.Ratio(cells[2*i+1], cells[2*i], p99Response).Mid }
	survives := func(t float64) float64 {
		return 0.98*math.Exp(-max(t, 0)/0.007) + 0.02*math.Exp(-max(t, 0)/0.140)
	}
	after := timeBeyond(survives, 0.05)
	want := timeBeyond(func(t float64) float64 { return survives(t) * survives(t-after) }, 0.01) /
		timeBeyond(survives, 0.01)
	if got := ratio(0); got < want/1.5 || got > want*1.5 {
		t.Errorf("slow by chance: the p99 is %v of that without, order statistics say %v", got, want)
	}
	if got := ratio(1); got < 1.1 {
		t.Errorf("near the capacity of the server: %v", got)
	}
	if got := ratio(2); got < 0.9 || got > 1.1 {
		t.Errorf("slow by the task: %v", got)
	}
	for i := range 3 {
		with := cells[2*i+1]
		if more := evidence.OfMean(m.Numbers(with, moreCalls)).Mid; more < 0.02 || more > hedgeMore {
			t.Errorf("%s: %v more calls", with.Name(), more)
		}
	}
}

func timeBeyond(law func(float64) float64, share float64) float64 {
	low, high := 0.0, 100.0
	for range 100 {
		if mid := (low + high) / 2; law(mid) > share {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

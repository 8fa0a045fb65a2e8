package advise

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

var sweep = flag.Bool("sweep", false, "every question of TestComposed")

// everyPair returns all compositions of two parts and a worker pool, in a finer parameter grid than
// the search.
func everyPair(t *testing.T, q Question, sc bench.Scenario) (all []behaviour) {
	t.Helper()
	rate, burst := targetRate(sc.Target)
	var settings []string
	for _, p := range strategies.Parts() {
		switch {
		case p.Changes == strategies.Routing:
		case hasKey(p.Keys, "burst", param.Int):
			for _, share := range []float64{0.9, 0.95, 1} {
				for _, burst := range []int{1, burst} {
					settings = append(settings,
						fmt.Sprintf("%s:rate=%v,burst=%d", p.Name, rate*share, burst))
				}
			}
		case hasKey(p.Keys, "rate", param.Float):
			for _, share := range []float64{0.9, 0.95, 1} {
				settings = append(settings, fmt.Sprintf("%s:rate=%v", p.Name, rate*share))
			}
		default:
			settings = append(settings, p.Name)
		}
	}
	for _, outer := range settings {
		for _, inner := range settings {
			v, err := strategies.Parse(outer + "+" + inner + "+worker_pool")
			if err == nil && q.unfit(v, sc) == "" {
				all = append(all, behaviour{members: []strategies.Variant{v}, sheds: v.Spec.Sheds,
					paced: startsOf(v, sc.Target).PerSecond})
			}
		}
	}
	return all
}

// No composition of two parts may be better than the recommendation.
func TestComposed(t *testing.T) {
	i := 0
	for _, target := range []struct {
		name string
		rate float64
	}{
		{"token_bucket:rate=50,burst=10", 50}, {"token_bucket:rate=50,burst=1", 50},
		{"leaky_bucket:rate=50", 50}, {"fixed_window:limit=50,window=1s", 50},
		{"sliding_window:limit=50,window=1s", 50},
	} {
		for _, c := range []struct {
			load      float64
			work      string
			objective string
			mayShed   bool
		}{
			{0.9, "constant:mean=80ms", "p99-response<2s", false},
			{0.7, "exponential:mean=40ms", "p99-response<1500ms", false},
			{0.8, "exponential:mean=100ms", "mean-response<600ms", false},
			{0.9, "exponential:mean=40ms", "p99-response<900ms", true},
		} {
			i++
			name := fmt.Sprintf("%s, %s, %v, may shed %v", target.name, c.work, c.load, c.mayShed)
			if !*sweep && (i%4 != 2 || testing.Short()) {
				continue // one for each target
			}
			t.Run(name, func(t *testing.T) {
				q := asked(t, c.work, c.load*target.rate, c.objective)
				q.Scenario.Target, q.MayShed = targets.MustParse(target.name), c.mayShed
				compareWithPairs(t, q)
			})
		}
	}
}

func compareWithPairs(t *testing.T, q Question) {
	began := time.Now()
	a := answered(t, q)
	o := a.Recommendation
	t.Logf("%v: %s, limit %d, promises %v to %v; %v", a.Verdict, o.Strategy, o.Limit, o.Promise.Low,
		o.Promise.High, time.Since(began))
	s, err := q.search(bench.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range everyPair(t, q, s.sample) {
		for _, limit := range []int{o.Limit - 1, o.Limit} {
			if limit < 1 {
				continue
			}
			// one seed first, because most compositions miss
			m, err := s.measure(t.Context(), b, limit, 1)
			if err == nil && m != nil && m.Verdict == objectives.Met {
				m, err = s.measure(t.Context(), b, limit, seeds)
			}
			switch {
			case err != nil:
				t.Fatal(err)
			case m == nil || m.Verdict != objectives.Met:
			case m.unproven && !o.unproven: // too few runs to show that it keeps the rate
			case a.Verdict != Meets:
				t.Errorf("%v, and %s meets the objectives with a limit of %d", a.Verdict, m.Strategy,
					limit)
			case limit < o.Limit:
				t.Errorf("%s with a limit of %d, and %s does with %d", o.Strategy, o.Limit,
					m.Strategy, limit)
			case m.Promise.High < o.Promise.Low:
				t.Errorf("%s promises %v to %v, and %s with the same limit of %d %v to %v",
					o.Strategy, o.Promise.Low, o.Promise.High, m.Strategy, limit, m.Promise.Low,
					m.Promise.High)
			}
		}
	}
	t.Log(time.Since(began))
}

package advise

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// The target slows down at more than 10 concurrent calls, and 8 are busy on average, so only limits
// of 9 to 12 meet the objective. Adaptive strategies with a higher maximum overload the target.
func TestBrownout(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	adaptive := strategiesOf("adaptive_aimd", "adaptive_gradient", "adaptive_vegas",
		"adaptive_envoy")
	for name, c := range map[string]struct {
		among []strategies.Variant
		want  string // "": any
	}{
		"all":           {nil, "semaphore"},
		"pools":         {append(strategiesOf("semaphore"), adaptive...), "semaphore"},
		"adaptive only": {adaptive, ""},
	} {
		q := asked(t, "constant:mean=10ms", 800, "p99-response<50ms")
		q.Scenario.Target = targets.MustParse("brownout")
		q.Strategies, q.Budget = c.among, 5*time.Second
		a := answered(t, q)
		best := a.Recommendation
		if a.Verdict != Meets || best.Limit < 9 || best.Limit > 12 ||
			c.want != "" && best.Strategy.String() != c.want {
			t.Errorf("%s: %s: %s with a limit of %d", name, a.Verdict, best.Strategy, best.Limit)
		}
		for _, o := range a.RunnersUp {
			if o.Limit > 12 && o.Unstable == "" {
				t.Errorf("%s: %s with a limit of %d is said to be stable", name, o.Strategy, o.Limit)
			}
		}
		sc := q.Scenario
		sc.Strategy, sc.Limit, sc.Clock, sc.Seed = best.Strategy, best.Limit, bench.Virtual, 77
		sc.Stop = bench.Stop{Tasks: 20_000, Warmup: 0.1}
		r, err := bench.Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if p99, ok := r.Metric(metric.P99Response); !ok || p99 > 0.05 {
			t.Errorf("%s: the p99 of %s with a limit of %d is %v", name, best.Strategy, best.Limit, p99)
		}
	}
}

func strategiesOf(names ...string) (all []strategies.Variant) {
	for _, name := range names {
		all = append(all, strategies.MustParse(name))
	}
	return all
}

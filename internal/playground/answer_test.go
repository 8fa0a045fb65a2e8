package playground_test

import (
	"context"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/playground"
)

func scenario(change func(w *bench.Encoded)) bench.Encoded {
	w := bench.Encoded{Strategy: "worker_pool", Workload: "exponential", Target: "none",
		Arrival: "poisson", Limit: 4, Load: 0.8, Tasks: 2000, Warmup: 0.1, Seed: 1}
	change(&w)
	return w
}

func TestRun(t *testing.T) {
	w := scenario(func(*bench.Encoded) {})
	a, err := playground.Run(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock = "virtual"
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	r, err := bench.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Metrics) != len(r.Metrics) || len(a.Metrics) < 30 {
		t.Fatalf("%d metrics, want %d", len(a.Metrics), len(r.Metrics))
	}
	for i, m := range a.Metrics {
		if m != r.Metrics[i] {
			t.Errorf("%v, want %v", m, r.Metrics[i])
		}
	}
	if a.Rate != 320 || a.Mean != 0.01 {
		t.Errorf("rate %v, mean %v, want 320 and 0.01", a.Rate, a.Mean)
	}
	p99, _ := r.Metric("p99-response-sec")
	if len(a.Curve) <= 20 || a.Curve[20].X != 2 || a.Curve[20].Y < 0.999*p99 ||
		a.Curve[20].Y > 1.001*p99 {
		t.Errorf("the curve is %v, p99 %v", a.Curve, p99)
	}
	most := 0.0
	for i, p := range a.InFlight {
		most = max(most, p.Y)
		if p.X != a.Queued[i].X {
			t.Errorf("%v in flight, %v queued", p, a.Queued[i])
		}
	}
	if most < 1 || most > 4 {
		t.Errorf("%v in flight at most, limit 4", most)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(w *bench.Encoded)
	}{
		{"want 1 to 200000 tasks", func(w *bench.Encoded) { w.Tasks = playground.MaxTasks + 1 }},
		{"want 1 to 200000 tasks", func(w *bench.Encoded) { w.Tasks = 0 }},
		{"unknown strategy", func(w *bench.Encoded) { w.Strategy = "nobody" }},
		{"virtual time", func(w *bench.Encoded) { w.Workload = "cpu_sha256" }},
		{"load", func(w *bench.Encoded) { w.Load = 1e9 }},
	} {
		_, err := playground.Run(context.Background(), scenario(c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestChoices(t *testing.T) {
	all := playground.Choices()
	if len(all) < 20 {
		t.Fatalf("%d strategies", len(all))
	}
	for _, c := range all {
		w := scenario(func(w *bench.Encoded) { w.Strategy, w.Tasks = c.Name, 400 })
		if _, err := playground.Run(context.Background(), w); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if c.Summary == "" {
			t.Errorf("%s has no summary", c.Name)
		}
	}
}

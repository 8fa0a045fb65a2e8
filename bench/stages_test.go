package bench_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/observe"
)

// runStaged runs four workers with tasks of 10 ms, so the capacity is 400/s.
func runStaged(t *testing.T, strategy, of, stages string) *bench.Result {
	t.Helper()
	v, err := arrivals.Staged(arrivals.MustParse(of), stages)
	if err != nil {
		t.Fatal(err)
	}
	s := bench.Scenario{Strategy: scenario(t, bench.Encoded{Strategy: strategy}).Strategy,
		Workload: scenario(t, bench.Encoded{Strategy: strategy,
			Workload: "constant:mean=10ms"}).Workload,
		Load: bench.Load{Arrival: v}, Clock: bench.Virtual, Seed: 1}
	return run(t, s)
}

// As a fluid, a pulse of load ρ₁ for T leaves (ρ₁-1)·400·T tasks, which drain in (ρ₁-1)/(1-ρ₀)·T.
// Constant gaps and times deviate by a few tasks.
func TestStagesDrain(t *testing.T) {
	for _, c := range []struct {
		before, pulse float64
		length        time.Duration
	}{{0.6, 1.4, 10 * time.Second}, {0.5, 3, 4 * time.Second}, {0.8, 1.1, 7 * time.Second}} {
		v := arrivals.Stage{Level: c.before, For: 20 * time.Second}
		r := runStaged(t, "worker_pool", "constant", stagesText(v, arrivals.Stage{Level: c.pulse,
			For: c.length}, arrivals.Stage{Level: c.before, For: time.Minute}))
		backlog := (c.pulse - 1) * 400 * c.length.Seconds()
		drain := (c.pulse - 1) / (1 - c.before) * c.length.Seconds()
		for unit, want := range map[string]struct{ value, off float64 }{
			"stage1-backlog-tasks":     {4 * c.before, 2},
			"stage2-backlog-tasks":     {backlog + 4, 2},
			"stage3-recovery-sec":      {drain, 0.1},
			"stage3-recovered":         {1, 0},
			"stage2-offered-ops/s":     {400 * c.pulse, 1e-6},
			"stage2-goodput-ops/s":     {400 * c.pulse, 1e-6}, // all tasks of the pulse complete
			"stage3-shed/op":           {0, 0},
			"stage1-mean-response-sec": {0.01, 1e-12},
			// the wait grows linearly from 0 to (ρ₁-1)·T
			"stage2-mean-response-sec": {0.01 + (c.pulse-1)*c.length.Seconds()/2, 0.01},
		} {
			if got := metric(t, r, unit); math.Abs(got-want.value) > want.off {
				t.Errorf("%v to %v for %v: %s %v, want %v", c.before, c.pulse, c.length, unit, got,
					want.value)
			}
		}
		if len(r.Reasons) > 0 {
			t.Errorf("stages that were asked for are doubted: %v", r.Reasons)
		}
	}
}

func stagesText(stages ...arrivals.Stage) string {
	var texts []string
	for _, s := range stages {
		texts = append(texts, strings.Replace("load="+s.String(), "x", " for ", 1))
	}
	return strings.Join(texts, ", ")
}

// A stage too short to drain has not recovered. A stage without a higher load before it has no
// recovery.
func TestRecovery(t *testing.T) {
	r := runStaged(t, "worker_pool", "poisson", "load=0.6 for 20s, load=1.4 for 10s, load=0.6 for 9s, "+
		"load=0.5 for 1m")
	if metric(t, r, "stage3-recovered") != 0 {
		t.Error("stage 3 is recovered before it can be")
	}
	for _, unit := range []string{"stage3-recovery-sec", "stage4-recovered", "stage1-recovered",
		"stage2-recovered"} {
		if v, ok := r.Metric(unit); ok {
			t.Errorf("%s is %v", unit, v)
		}
	}
	r = runStaged(t, "bounded_queue_shed", "constant", "load=0.6 for 20s, load=1.4 for 10s, load=0.6 "+
		"for 9s")
	// 32 queued tasks and 4 in service drain at 160/s
	if got := metric(t, r, "stage3-recovery-sec"); math.Abs(got-32.0/160) > 0.02 {
		t.Errorf("36 tasks drain in %v s, want 0.2", got)
	}
	if shed := metric(t, r, "stage2-shed/op"); math.Abs(shed-(1-1/1.4)) > 0.01 {
		t.Errorf("%v are shed, want 1-1/1.4", shed)
	}
	// below the capacity constant gaps cause no waits
	r = runStaged(t, "worker_pool", "constant", "load=0.5 for 20s, load=0.9 for 10s, load=0.5 for 9s")
	if got := metric(t, r, "stage3-recovery-sec"); got != 0 {
		t.Errorf("what was never disturbed is recovered after %v s", got)
	}
}

func TestStagesInName(t *testing.T) {
	v, err := arrivals.Staged(arrivals.Variant{}, "load=0.6 for 20s, load=1.4 for 10s")
	if err != nil {
		t.Fatal(err)
	}
	s := scenario(t, bench.Encoded{Strategy: "worker_pool"})
	s.Load, s.Stop = bench.Load{Arrival: v}, bench.Stop{}
	const want = "/arrival=stages:at=0.6x20s_1.4x10s/limit=4/duration=30s/clock=virtual"
	if name := s.Name(); !strings.HasSuffix(name, want) {
		t.Errorf("%s, want %s", name, want)
	}
	back, err := s.Encode().Scenario()
	if err != nil || back.Name() != s.Name() {
		t.Errorf("%v: %v, want %s", err, back.Name(), s.Name())
	}
	s.Soak = true
	if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), "soak: results by") {
		t.Errorf("a soak in stages: %v", err)
	}
	s.Soak, s.Load.Arrival = false, arrivals.MustParse("stages:at=1000x10h")
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "want at most 10000000") {
		t.Errorf("10⁹ tasks in stages: %v", err)
	}
}

func TestStageUnits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	d, err := directory.Create(dir, directory.New)
	if err != nil {
		t.Fatal(err)
	}
	r := runStaged(t, "worker_pool", "poisson", "load=0.6 for 9s, load=1.4 for 2s, load=0.6 for 9s")
	for range 2 {
		if err := d.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range r.Metrics {
		if !strings.HasPrefix(m.Unit, "stage3-") {
			continue
		}
		seen++
		i := slices.IndexFunc(observe.StageMetrics(3), func(info observe.MetricInfo) bool {
			return info.Unit == m.Unit && info.Doc != ""
		})
		if i < 0 {
			t.Errorf("%s is not documented", m.Unit)
			continue
		}
		want := 1
		better := observe.StageMetrics(3)[i].Better
		if better == "" {
			want = 0
		}
		if n := strings.Count(string(data), "Unit "+m.Unit+" better="); n != want {
			t.Errorf("%s (%s) is declared %d times", m.Unit, better, n)
		}
	}
	if want := len(observe.StageMetrics(3)) - 2; seen != want { // two are for attacks and patience
		t.Errorf("%d metrics of stage 3, want %d", seen, want)
	}
}

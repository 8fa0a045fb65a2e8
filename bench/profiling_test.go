package bench_test

import (
	"context"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

func TestProfile(t *testing.T) {
	w := bench.Encoded{Strategy: "cpu_io_split:cpu=1", Workload: "cpu_io:p=0.5,cpu=2ms,wait=const(20ms)",
		Arrival: "batch", Clock: "real", Limit: 3, Queue: 200, Tasks: 120,
		Profile: "cpu+goroutine+mutex+block+heap"}
	r := run(t, scenario(t, w))
	if !strings.Contains(r.Name, "/profile=cpu+goroutine+mutex+block+heap/") {
		t.Error(r.Name)
	}
	wanted := map[string][]string{"cpu": {"task", "cpu", "cpu_io_split:cpu=1"},
		"goroutine": {"harness"}} // there may be a single sample, before the first task
	for _, p := range r.Profiles {
		parsed, err := profile.ParseData(p.Data)
		if err != nil {
			t.Fatalf("%s: %v", p.Kind, err)
		}
		labels := map[string]bool{}
		for _, s := range parsed.Sample {
			for _, values := range s.Label {
				for _, v := range values {
					labels[v] = true
				}
			}
		}
		for _, want := range wanted[p.Kind] {
			if !labels[want] {
				t.Errorf("%s has no %s: %v", p.Kind, want, labels)
			}
		}
	}
	if n := len(r.Profiles); n != 5 {
		t.Errorf("%d profiles", n)
	}
	w.Profile = ""
	if r := run(t, scenario(t, w)); r.Profiles != nil || strings.Contains(r.Name, "profile") {
		t.Errorf("%s has %d profiles", r.Name, len(r.Profiles))
	}
}

func TestProfileRefused(t *testing.T) {
	s := scenario(t, bench.Encoded{Limit: 2, Load: 0.5, Tasks: 50})
	for set, want := range map[string]string{"cpu": "virtual clock", "gpu": "unknown profile",
		"mutex+cpu": "cpu+mutex"} {
		s.Profile = set
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

func TestProfiledLeak(t *testing.T) {
	t.Parallel() // waits for the remaining goroutine
	end := make(chan struct{})
	defer close(end)
	s := scenario(t, bench.Encoded{Limit: 2, Load: 0.5, Tasks: 50, Clock: "real",
		Workload: "constant:mean=1ms", Profile: "goroutine"})
	start := s.Strategy.Spec.New
	s.Strategy.Spec.New = func(
		ctx context.Context, p strategies.Params, sink strategies.Sink,
	) strategies.Strategy {
		go func() { <-end }()
		return start(ctx, p, sink)
	}
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Broken, func(law string) bool {
		return strings.Contains(law, "goroutines left after Drain: 1")
	}) {
		t.Errorf("broken: %q", r.Broken)
	}
}

func TestProfileTaken(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	s := scenario(t, bench.Encoded{Limit: 2, Load: 0.5, Tasks: 50, Clock: "real", Profile: "cpu"})
	s.Strategy.Spec.New = func(
		context.Context, strategies.Params, strategies.Sink,
	) strategies.Strategy {
		t.Error("a strategy is made")
		return nil
	}
	if _, err := bench.Run(t.Context(), s); err == nil ||
		!strings.Contains(err.Error(), "profile: ") {
		t.Error(err)
	}
}

package bench_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

func TestPatience(t *testing.T) {
	const limit = 10 * time.Second
	virtual := scenario(t, bench.Written{Limit: 4, Load: 0.5, Tasks: 100})
	for name, c := range map[string]struct {
		pulse func(i int) bench.Pulse
		want  string // part of the reason; empty: not given up within an hour
		after time.Duration
	}{
		"spins": {func(i int) bench.Pulse {
			return bench.Pulse{Steps: 7, CPU: time.Duration(i) * bench.PulseInterval}
		}, "10s of CPU time", limit},
		"starves": {func(i int) bench.Pulse {
			return bench.Pulse{Steps: 7, CPU: time.Duration(i) * bench.PulseInterval / 15}
		}, "10s of CPU time", 15 * limit},
		"unknown": {func(int) bench.Pulse { return bench.Pulse{Steps: 7} },
			"10s of CPU time", limit},
		"blocked": {func(i int) bench.Pulse {
			return bench.Pulse{Steps: 7, CPU: time.Duration(i + 1), Idle: true}
		}, "no goroutine could run", limit},
		"in calls": {func(i int) bench.Pulse {
			return bench.Pulse{Steps: 7, CPU: time.Duration(i + 1), Idle: i%2 == 0}
		}, "in 3m20s: it hangs", 20 * limit},
		"slow": {func(i int) bench.Pulse {
			return bench.Pulse{Steps: uint64(i / 39), CPU: time.Duration(i) * bench.PulseInterval,
				Idle: true}
		}, "", 0},
		"early": {func(i int) bench.Pulse {
			return bench.Pulse{CPU: time.Duration(i) * bench.PulseInterval, Idle: true, Early: true}
		}, "", 0},
	} {
		p, err := bench.NewPatience(virtual, limit)
		if err != nil {
			t.Fatal(err)
		}
		var heard time.Duration
		for i := 0; heard < time.Hour; i++ {
			if err = p.Hear(c.pulse(i)); err != nil {
				break
			}
			heard += bench.PulseInterval
		}
		switch {
		case c.want == "" && err != nil, c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: after %v: %v, want %q", name, heard, err, c.want)
		case err != nil && (heard < c.after || heard > c.after+2*time.Second):
			t.Errorf("%s: given up after %v, want %v", name, heard, c.after)
		}
	}
}

// A run must not be given up before its next pulse is due, however short the limit.
func TestSilence(t *testing.T) {
	s := scenario(t, bench.Written{Limit: 4, Load: 0.5, Tasks: 100})
	for limit, want := range map[time.Duration]time.Duration{time.Nanosecond: 5 * time.Second,
		bench.PulseInterval: 5 * time.Second, 30 * time.Second: 10 * time.Minute} {
		p, err := bench.NewPatience(s, limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Silence(); got != want {
			t.Errorf("limit %v: given up after %v without a pulse, want %v", limit, got, want)
		}
	}
}

// The number of steps is twice the number of tasks, plus the last phase.
func TestProgress(t *testing.T) {
	for _, clock := range []string{"virtual", "real"} {
		var p bench.Progress
		s := scenario(t, bench.Written{Strategy: "bounded_queue_shed",
			Workload: "constant:mean=100us", Arrival: "batch", Limit: 2, Queue: 5,
			Tasks: 200, Clock: clock})
		r, err := bench.Run(bench.WithProgress(t.Context(), &p), s)
		if err != nil {
			t.Fatal(err)
		}
		shed := metric(t, r, "shed/op")
		if steps, want := p.Pulse().Steps, uint64(200+200*(1-shed)+1.5); shed == 0 ||
			steps != want {
			t.Errorf("%s: %d steps of 200 tasks of which %v were shed, want %d", clock,
				steps, shed, want)
		}
	}
}

func TestEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var p bench.Progress
	done := make(chan error, 1)
	go func() {
		s := scenario(t, bench.Written{Workload: "constant:mean=1ms", Arrival: "constant", Limit: 1,
			Rate: 0.001, Tasks: 10, Clock: "real"})
		_, err := bench.Run(bench.WithProgress(ctx, &p), s)
		done <- err
	}()
	for !p.Pulse().Early {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it was interrupted, and says nothing")
	}
}

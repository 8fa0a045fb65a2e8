package progress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/progress"
)

func TestDetector(t *testing.T) {
	const limit = 10 * time.Second
	for name, c := range map[string]struct {
		pulse func(i int) progress.Pulse
		want  string // part of the reason; empty: not given up within an hour
		after time.Duration
	}{
		"spins": {func(i int) progress.Pulse {
			return progress.Pulse{Steps: 7, CPU: time.Duration(i) * progress.Interval}
		}, "10s of CPU time", limit},
		"starves": {func(i int) progress.Pulse {
			return progress.Pulse{Steps: 7, CPU: time.Duration(i) * progress.Interval / 15}
		}, "10s of CPU time", 15 * limit},
		"unknown": {func(int) progress.Pulse { return progress.Pulse{Steps: 7} },
			"10s of CPU time", limit},
		"blocked": {func(i int) progress.Pulse {
			return progress.Pulse{Steps: 7, CPU: time.Duration(i + 1), Idle: true}
		}, "no goroutine could run", limit},
		"in calls": {func(i int) progress.Pulse {
			return progress.Pulse{Steps: 7, CPU: time.Duration(i + 1), Idle: i%2 == 0}
		}, "in 3m20s: it hangs", 20 * limit},
		"slow": {func(i int) progress.Pulse {
			return progress.Pulse{Steps: uint64(i / 39), CPU: time.Duration(i) * progress.Interval,
				Idle: true}
		}, "", 0},
		"early": {func(i int) progress.Pulse {
			return progress.Pulse{CPU: time.Duration(i) * progress.Interval, Idle: true, Early: true}
		}, "", 0},
	} {
		d := progress.NewDetector(limit)
		var err error
		var heard time.Duration
		for i := 0; heard < time.Hour; i++ {
			if err = d.Observe(c.pulse(i)); err != nil {
				break
			}
			heard += progress.Interval
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

// Even a short limit must not end a run before its next pulse is due.
func TestSilence(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{time.Nanosecond: 5 * time.Second,
		progress.Interval: 5 * time.Second, 30 * time.Second: 10 * time.Minute} {
		if got := progress.NewDetector(limit).Silence(); got != want {
			t.Errorf("limit %v: given up after %v without a pulse, want %v", limit, got, want)
		}
	}
}

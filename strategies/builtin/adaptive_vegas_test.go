package builtin_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestVegasParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"adaptive_vegas": "",
		"adaptive_vegas:min=2": "strategy adaptive_vegas: min must be at least 1 and at most " +
			"the limit 1",
		"adaptive_vegas:initial=2": "strategy adaptive_vegas: initial must be 0, or at least min " +
			"and at most the limit 1",
		"adaptive_vegas:alpha=0":       "strategy adaptive_vegas: alpha must be at least 1",
		"adaptive_vegas:beta=2":        "strategy adaptive_vegas: beta must be at least alpha",
		"adaptive_vegas:smoothing=0":   "strategy adaptive_vegas: smoothing must be above 0 and at most 1",
		"adaptive_vegas:smoothing=1.1": "strategy adaptive_vegas: smoothing must be above 0 and at most 1",
		"adaptive_vegas:short=0":       "strategy adaptive_vegas: short must be at least 1",
		"adaptive_vegas:probe=0":       "strategy adaptive_vegas: probe must be at least 1",
		"adaptive_vegas:alpha=6":       "",
	})
}

// With doubled responses, half of the 64 slots seem to queue. Each window, a round of 2 ms, removes
// a slot while more than 6 seem to queue, down to the limit 12. Afterwards each window adds 6.
func TestVegasStep(t *testing.T) {
	const begin, end = 100 * time.Millisecond, 300 * time.Millisecond
	step := func(now time.Duration) (time.Duration, error) {
		if now >= begin && now < end {
			return 2 * time.Millisecond, nil
		}
		return time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		var instants []time.Duration
		for at := time.Millisecond / 2; at < 320*time.Millisecond; at += time.Millisecond {
			instants = append(instants, at)
		}
		s := startVariant(t, "adaptive_vegas:short=1,probe=1000000", 64, 64, anySink())
		limits, inFlight := scripted(t, s, step, instants)
		for i, at := range instants {
			want := 64
			switch {
			case at >= end:
				want = min(64, 12+6*int((at-end)/time.Millisecond))
			case at >= begin:
				want = max(12, 64-int((at-begin)/(2*time.Millisecond)))
			}
			if limits[i] != want || inFlight[i] != want {
				t.Errorf("at %v the limit is %d with %d in flight, want %d", at, limits[i],
					inFlight[i], want)
			}
		}
	})
}

// The limit falls until the shortest response is measured again, at most 30 rounds later. Then the
// long responses are normal.
func TestVegasForgets(t *testing.T) {
	worse := func(now time.Duration) (time.Duration, error) {
		if now < 10*time.Millisecond {
			return time.Millisecond, nil
		}
		return 2 * time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_vegas:short=1", 16, 16, anySink())
		var instants []time.Duration
		for at := time.Millisecond / 2; at < 200*time.Millisecond; at += time.Millisecond {
			instants = append(instants, at)
		}
		limits, _ := scripted(t, s, worse, instants)
		least := 16
		for _, limit := range limits {
			least = min(least, limit)
		}
		if last := limits[len(limits)-1]; least > 12 || last != 16 {
			t.Errorf("the limit falls to %d and is %d at the end, want at most 12, and 16", least,
				last)
		}
	})
}

// Each window with a failure removes a slot, or two slots if the limit is 100 or more, down to min.
func TestVegasFailures(t *testing.T) {
	down := errors.New("down")
	fails := func(time.Duration) (time.Duration, error) { return time.Millisecond, down }
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_vegas:short=1,min=95", 110, 110, anySink())
		var instants []time.Duration
		for at := time.Millisecond / 2; at < 20*time.Millisecond; at += time.Millisecond {
			instants = append(instants, at)
		}
		limits, _ := scripted(t, s, fails, instants)
		want := 110.0
		for i, at := range instants {
			if limits[i] != int(want) {
				t.Errorf("at %v the limit is %d, want %v", at, limits[i], want)
			}
			want = math.Max(95, want-math.Floor(math.Log10(want)))
		}
	})
}

func TestVegasNeedsLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(1)
		s := startVariant(t, "adaptive_vegas:initial=8,short=1", 16, 0, log)
		for range 200 {
			submit(t, s, sleeps(1, time.Millisecond))
			<-log.done
		}
		if got := s.(learner).Limit(); got != 8 {
			t.Errorf("the limit is %d, want 8", got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

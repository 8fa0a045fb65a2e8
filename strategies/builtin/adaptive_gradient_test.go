package builtin_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestGradientParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"adaptive_gradient": "",
		"adaptive_gradient:min=2": "strategy adaptive_gradient: min must be at least 1 and at " +
			"most the limit 1",
		"adaptive_gradient:initial=2": "strategy adaptive_gradient: initial must be 0, " +
			"or at least min and at most the limit 1",
		"adaptive_gradient:tolerance=0.9": "strategy adaptive_gradient: tolerance must be " +
			"at least 1",
		"adaptive_gradient:smoothing=0": "strategy adaptive_gradient: smoothing must be " +
			"above 0 and at most 1",
		"adaptive_gradient:smoothing=1.1": "strategy adaptive_gradient: smoothing must be " +
			"above 0 and at most 1",
		"adaptive_gradient:headroom=0": "strategy adaptive_gradient: headroom must be at " +
			"least 1, or the limit never rises",
		"adaptive_gradient:short=0": "strategy adaptive_gradient: short must be at " +
			"least 1",
		"adaptive_gradient:long=1": "strategy adaptive_gradient: long must be at " +
			"least 2",
		"adaptive_gradient:smoothing=1,long=2": "",
	})
}

// For nine windows of long responses, the long average is below 10/3 of the normal response, so the
// gradient is at its minimum of ½ and each window changes the limit L to 0.9·L + 0.2. Windows take
// a round or less, so after n rounds the limit is at most 2 + 14·0.9ⁿ. Afterwards each window adds
// 0.2.
func TestGradientStep(t *testing.T) {
	const begin, end = 100 * time.Millisecond, 400 * time.Millisecond
	step := func(now time.Duration) (time.Duration, error) {
		if now >= begin && now < end {
			return 10 * time.Millisecond, nil
		}
		return time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		var instants []time.Duration
		for at := time.Millisecond / 2; at < 700*time.Millisecond; at += time.Millisecond {
			instants = append(instants, at)
		}
		s := startVariant(t, "adaptive_gradient:min=3,short=1", 16, 16, anySink())
		limits, inFlight := scripted(t, s, step, instants)
		least := 16
		for i, at := range instants {
			rounds := int((at - begin) / (10 * time.Millisecond))
			switch {
			case at < begin:
				if limits[i] != 16 {
					t.Fatalf("before the step, at %v, the limit is %d", at, limits[i])
				}
			case at < end && rounds <= 9:
				if want := int(2 + 14*math.Pow(0.9, float64(rounds))); limits[i] > want {
					t.Errorf("%d rounds after the step, at %v, the limit is %d, want at most %d",
						rounds, at, limits[i], want)
				}
			}
			if limits[i] < 3 || inFlight[i] > 16 {
				t.Errorf("at %v the limit is %d, with %d in flight", at, limits[i], inFlight[i])
			}
			least = min(least, limits[i])
		}
		if least > 6 {
			t.Errorf("the limit never fell below %d", least)
		}
		if last := limits[len(limits)-1]; last != 16 {
			t.Errorf("300ms after the end of the step the limit is %d", last)
		}
	})
}

// After 2 s, or some 200 windows, the long responses must be normal.
func TestGradientForgets(t *testing.T) {
	worse := func(now time.Duration) (time.Duration, error) {
		if now < 100*time.Millisecond {
			return time.Millisecond, nil
		}
		return 10 * time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_gradient:short=1", 16, 16, anySink())
		limits, _ := scripted(t, s, worse, []time.Duration{300 * time.Millisecond, 2 * time.Second})
		if limits[0] > 6 || limits[1] != 16 {
			t.Errorf("the limit is %d after 200ms of long responses and %d after 1.9s, want at "+
				"most 6 and 16", limits[0], limits[1])
		}
	})
}

// The long average must fall within 20 normal rounds, or a second, smaller overload is not
// detected.
func TestGradientRecovers(t *testing.T) {
	twice := func(now time.Duration) (time.Duration, error) {
		switch {
		case now < 100*time.Millisecond:
			return time.Millisecond, nil
		case now < 2000*time.Millisecond:
			return 10 * time.Millisecond, nil
		case now < 2020*time.Millisecond:
			return time.Millisecond, nil
		}
		return 5 * time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_gradient:short=1", 16, 16, anySink())
		limits, _ := scripted(t, s, twice,
			[]time.Duration{2019 * time.Millisecond, 2080 * time.Millisecond})
		if limits[0] != 16 || limits[1] > 13 {
			t.Errorf("the limit is %d before and %d after the second overload, want 16 and at "+
				"most 13", limits[0], limits[1])
		}
	})
}

func TestGradientNeedsLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(1)
		s := startVariant(t, "adaptive_gradient:initial=8,short=1", 16, 0, log)
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

// Each window, a round of 1 ms, must add ¼.
func TestGradientGrows(t *testing.T) {
	steady := func(time.Duration) (time.Duration, error) { return time.Millisecond, nil }
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_gradient:initial=4,short=1,smoothing=0.25",
			16, 16, anySink())
		var instants []time.Duration
		for at := time.Millisecond / 2; at < 60*time.Millisecond; at += time.Millisecond {
			instants = append(instants, at)
		}
		limits, inFlight := scripted(t, s, steady, instants)
		for i, at := range instants {
			if want := min(16, 4+i/4); limits[i] != want || inFlight[i] != want {
				t.Errorf("at %v the limit is %d with %d in flight, want %d", at, limits[i],
					inFlight[i], want)
			}
		}
	})
}

// Fast failures must not count as fast responses.
func TestGradientIgnoresFailures(t *testing.T) {
	down := errors.New("down")
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_gradient:initial=4,short=1", 16, 16, anySink())
		fails := func(time.Duration) (time.Duration, error) { return time.Millisecond, down }
		limits, _ := scripted(t, s, fails, []time.Duration{100*time.Millisecond + 1})
		if limits[0] != 4 {
			t.Errorf("after 100 rounds of failures the limit is %d, want 4", limits[0])
		}
	})
}

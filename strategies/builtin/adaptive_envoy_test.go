package builtin_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies/builtin"
)

func TestEnvoyParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"adaptive_envoy":                "",
		"adaptive_envoy:min=0":          "strategy adaptive_envoy: min must be at least 1",
		"adaptive_envoy:update=0s":      "strategy adaptive_envoy: update must be above 0",
		"adaptive_envoy:probe=0s":       "strategy adaptive_envoy: probe must be above 0",
		"adaptive_envoy:jitter=1.5":     "strategy adaptive_envoy: jitter must be from 0 to 1",
		"adaptive_envoy:requests=0":     "strategy adaptive_envoy: requests must be at least 1",
		"adaptive_envoy:buffer=-1":      "strategy adaptive_envoy: buffer must be from 0 to 1",
		"adaptive_envoy:quantile=0":     "strategy adaptive_envoy: quantile must be above 0 and at most 1",
		"adaptive_envoy:min=9,buffer=0": "",
	})
}

// Responses take 10 ms. Measuring 12 tasks takes 4 rounds with the limit 3. Then every 100 ms the
// limit L becomes 1.25·L + √(1.25·L), up to 64. The next measurement starts after a second.
func TestEnvoyGrows(t *testing.T) {
	const measured = 40 * time.Millisecond
	steady := func(time.Duration) (time.Duration, error) { return 10 * time.Millisecond, nil }
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_envoy:requests=12,probe=1s,jitter=0", 64, 64, anySink())
		var instants []time.Duration
		var want []int
		expect := func(at time.Duration, limit int) {
			instants, want = append(instants, at+5*time.Millisecond), append(want, limit)
		}
		expect(measured-10*time.Millisecond, 3)
		limit := 3.0
		for at := measured + 100*time.Millisecond; at < time.Second; at += 100 * time.Millisecond {
			expect(at-10*time.Millisecond, int(limit))
			limit = math.Min(64, math.Floor(1.25*limit+math.Sqrt(1.25*limit)))
			expect(at, int(limit))
		}
		expect(measured+time.Second, 3)
		// tasks that started before the measurement do not count
		expect(2*measured+990*time.Millisecond, 3)
		expect(2*measured+time.Second, 64)
		limits, inFlight := scripted(t, s, steady, instants)
		for i, at := range instants {
			if limits[i] != want[i] {
				t.Errorf("at %v the limit is %d with %d in flight, want %d", at, limits[i],
					inFlight[i], want[i])
			}
		}
	})
}

// With long responses, each update changes the limit L to L/2 + √(L/2), down to 3. Five updates
// later the baseline is measured again, so the long responses become normal.
func TestEnvoyStep(t *testing.T) {
	step := func(now time.Duration) (time.Duration, error) {
		if now >= time.Second {
			return 50 * time.Millisecond, nil
		}
		return 5 * time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_envoy:requests=10,probe=1h", 32, 32, anySink())
		limits, inFlight := scripted(t, s, step, []time.Duration{999 * time.Millisecond,
			1500 * time.Millisecond, 2 * time.Second, 4 * time.Second})
		if limits[0] != 32 || limits[1] > 8 || limits[1] < 3 || limits[2] != 3 || limits[3] != 32 {
			t.Errorf("the limits are %v with %v in flight, want 32, 3 to 8, 3 and 32", limits,
				inFlight)
		}
	})
}

// Fast failures must not count as fast responses.
func TestEnvoyIgnoresFailures(t *testing.T) {
	down := errors.New("down")
	fails := func(now time.Duration) (time.Duration, error) {
		if now > 200*time.Millisecond {
			return time.Millisecond, down
		}
		return 10 * time.Millisecond, nil
	}
	synctest.Test(t, func(t *testing.T) {
		s := startVariant(t, "adaptive_envoy:requests=10", 1000, 1000, anySink())
		limits, _ := scripted(t, s, fails, []time.Duration{350 * time.Millisecond, 2 * time.Second})
		if limits[0] <= 3 || limits[1] != limits[0] {
			t.Errorf("the limit is %d, and %d after failures", limits[0], limits[1])
		}
	})
}

func TestEnvoyHistogram(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 63, 64, 65, 1000, 12345, time.Millisecond, time.Second,
		math.MaxInt64} {
		var h builtin.Histogram
		h.Add(d)
		if got := h.Quantile(0.5); math.Abs(float64(got-d)) > float64(d)/64 {
			t.Errorf("the median of %d is %d", d, got)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var h builtin.Histogram
	var all []float64
	for range 1000 {
		v := math.Exp(14 * random.Float64())
		h.Add(time.Duration(v))
		all = append(all, math.Floor(v))
	}
	slices.Sort(all)
	for _, q := range []float64{0.001, 0.25, 0.5, 0.9, 1} {
		want := all[int(math.Ceil(q*1000))-1]
		if got := float64(h.Quantile(q)); math.Abs(got-want) > want/64 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}

package arrivals_test

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// TestStages: until the first stage ends the plan is that of the process itself; equal gaps have in
// each stage its rate, to the nanosecond; and exponential ones within four deviations.
func TestStages(t *testing.T) {
	const rate = 100.0
	for _, of := range []string{"poisson", "constant", "bulk(n=10)", "onoff"} {
		name := of
		if of == "bulk(n=10)" {
			name = "bulk:n=10"
		}
		alone := take(t, name, 0.5*rate, 3, 1000)
		for i, due := range take(t, "stages:at=0.5x20s_2x5s_0x3s_1x10s,of="+of, rate, 3, 1000) {
			if alone[i] > 20*time.Second {
				break
			}
			if due != alone[i] {
				t.Fatalf("%s: task %d is due at %v, without stages at %v", of, i, due, alone[i])
			}
		}
	}
	ends := []float64{20, 25, 28}
	for _, of := range []string{"constant", "poisson"} {
		got := make([]float64, 4)
		due := take(t, "stages:at=0.5x20s_2x5s_0x3s_1x10s,of="+of, rate, 3, 20_000)
		for _, d := range due {
			k := 0
			for k < len(ends) && d.Seconds() > ends[k] {
				k++
			}
			got[k]++
		}
		last := due[len(due)-1].Seconds()
		for k, want := range []float64{1000, 1000, 0, rate * (last - 28)} {
			allowed := 4 * math.Sqrt(want)
			if of == "constant" {
				allowed = 1e-6
			}
			if math.Abs(got[k]-want) > allowed {
				t.Errorf("%s: %v tasks in stage %d, want %v", of, got[k], k+1, want)
			}
		}
	}
	if at := take(t, "stages:at=10x2s_100x1s,unit=rate,of=constant", 0, 0, 120); at[19] !=
		2*time.Second || at[20] != 2010*time.Millisecond || at[119] != 3*time.Second {
		t.Errorf("at given rates: %v, %v, %v", at[19], at[20], at[119])
	}
}

// TestStaged: what is written for people is a process in its one spelling, which reads back.
func TestStaged(t *testing.T) {
	for text, want := range map[string]string{
		"load=0.6 for 20s, load=1.40 for 10s,load=0.6 for 60s": "stages:at=0.6x20s_1.4x10s_0.6x1m",
		" rate=60  for 1s,rate=1e3 for 2s ":                    "stages:at=60x1s_1000x2s,unit=rate",
	} {
		for of, suffix := range map[string]string{"": "", "poisson": "", "constant": ",of=constant",
			"bulk:n=10": ",of=bulk(n=10)"} {
			var process arrivals.Variant
			if of != "" {
				process = arrivals.MustParse(of)
			}
			v, err := arrivals.Staged(process, text)
			if err != nil || v.String() != want+suffix ||
				arrivals.MustParse(v.String()).String() != want+suffix {
				t.Errorf("%s in %s: %v (%v), want %s%s", of, text, v, err, want, suffix)
			}
		}
	}
	for text, want := range map[string]string{
		"":                             `want stages such as load=0.6 for 20s, load=1.4 for 10s; got ""`,
		"load=1 for":                   `want stages such as load=0.6 for 20s, load=1.4 for 10s; got "load=1 for"`,
		"load=1 for 1s,":               `want stages such as load=0.6 for 20s, load=1.4 for 10s; got ""`,
		"load=x for 1s":                `want load=NUMBER or rate=NUMBER, got "load=x"`,
		"speed=1 for 1s":               `want load=NUMBER or rate=NUMBER, got "speed=1"`,
		"load=1 for 1":                 `want a duration such as 20s, got "1"`,
		"load=1 for 1s, rate=1 for 1s": "want load= in all stages or rate= in all",
		"load=-1 for 1s":               "arrival stages: at: -1 times the load: want 1e-06 to 1000, or 0 between two others",
	} {
		if _, err := arrivals.Staged(arrivals.Variant{}, text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, of := range []string{"closed", "batch", "stages", "bulk:period=1s"} {
		if _, err := arrivals.Staged(arrivals.MustParse(of), "load=1 for 1s"); err == nil {
			t.Errorf("%s takes stages", of)
		}
	}
}

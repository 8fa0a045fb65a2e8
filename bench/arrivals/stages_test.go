package arrivals_test

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// Each stage must have its rate: constant gaps to the nanosecond, exponential gaps within 4
// standard deviations.
func TestStages(t *testing.T) {
	const rate = 100.0
	for _, of := range []string{"poisson", "constant", "bulk(n=10)", "onoff"} {
		name := of
		if of == "bulk(n=10)" {
			name = "bulk:n=10"
		}
		alone := firstDue(t, name, 0.5*rate, 3, 1000)
		for i, due := range firstDue(t, "stages:at=0.5x20s_2x5s_0x3s_1x10s,of="+of, rate, 3, 1000) {
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
		due := firstDue(t, "stages:at=0.5x20s_2x5s_0x3s_1x10s,of="+of, rate, 3, 20_000)
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
	if at := firstDue(t, "stages:at=10x2s_100x1s,unit=rate,of=constant", 0, 0, 120); at[19] !=
		2*time.Second || at[20] != 2010*time.Millisecond || at[119] != 3*time.Second {
		t.Errorf("at given rates: %v, %v, %v", at[19], at[20], at[119])
	}
}

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
		"load=-1 for 1s":               "arrival stages: at: -1 times the load: want 1e-06 to 1000, or 0",
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

// Arrival k of a constant process must be due when the integral of the rate is k. Each stage may be
// rounded to a nanosecond.
func TestRamps(t *testing.T) {
	v, total, err := arrivals.Ramps(arrivals.MustParse("constant"), "30s:0..200, 2m:200,10s:0, 20s:100..50, 5s:0")
	if err != nil || total != 185*time.Second {
		t.Fatal(total, err)
	}
	want := "stages:at=0..200x30s_200x2m_0x10s_100..50x20s_0x5s,unit=rate,of=constant"
	if v.String() != want {
		t.Errorf("%s, want %s", v, want)
	}
	next, err := v.Spec.Open(1, 1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	// k is the integral of the rate from 0 to at
	until := func(at float64) (k float64) {
		add := func(begin, length, from, to float64) {
			x := min(max(at-begin, 0), length)
			k += from*x + (to-from)*x*x/(2*length)
		}
		add(0, 30, 0, 200)
		add(30, 120, 200, 200)
		add(160, 20, 100, 50)
		return k
	}
	first := next().Seconds()
	from, n := until(first), 0
	for at := first; at < total.Seconds(); at = next().Seconds() {
		if k := until(at); math.Abs(k-from-float64(n)) > 1e-5 {
			t.Fatalf("arrival %d is due at %v s, when the rate has made %v", n, at, k)
		}
		n++
	}
	if n != 3000+24000+1500 {
		t.Errorf("%d arrivals", n)
	}
	for text, want := range map[string]string{
		"30s":         `want stages such as 30s:0..200, 2m:200; got "30s"`,
		"30:1":        `want stages such as 30s:0..200, 2m:200; got "30:1"`,
		"3s:1..2..3":  `want stages such as 30s:0..200, 2m:200; got "3s:1..2..3"`,
		"3s:0, 1s:0":  "arrival stages: at: 0x3s_0x1s: every level is 0",
		"3s:-1..5":    "arrival stages: at: -1..5 a second: want 1e-06 to 1e+09, or 0",
		"1s:1, 0s:20": "arrival stages: at: 0s: want more than 0, at most 87600h, which is ten years in all",
	} {
		if _, _, err := arrivals.Ramps(arrivals.MustParse("constant"), text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

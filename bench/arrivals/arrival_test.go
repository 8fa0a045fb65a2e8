package arrivals_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

func variant(t interface {
	Helper()
	Fatal(...any)
}, text string) arrivals.Variant {
	t.Helper()
	c, err := param.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := arrivals.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func firstDue(t *testing.T, text string, rate float64, seed uint64, n int) []time.Duration {
	t.Helper()
	v := variant(t, text)
	next, err := v.Spec.Open(rate, seed, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	due := make([]time.Duration, n)
	for i := range due {
		due[i] = next()
	}
	return due
}

func TestPlans(t *testing.T) {
	for _, spec := range arrivals.All() {
		if spec.Open == nil || spec.Tasks != nil { // TestTrace tests finite processes
			continue
		}
		const n, rate = 20_000, 250.0
		due, again := firstDue(t, spec.Name, rate, 7, n), firstDue(t, spec.Name, rate, 7, n)
		for i := range due {
			if due[i] != again[i] {
				t.Fatalf("%s: arrival %d is due at %v and at %v with one seed", spec.Name, i,
					due[i], again[i])
			}
			if due[i] < 0 || i > 0 && due[i] < due[i-1] {
				t.Fatalf("%s: arrival %d is due at %v, after %v", spec.Name, i, due[i],
					due[max(i-1, 0)])
			}
		}
		if spec.AllAtOnce {
			continue
		}
		// The last of n arrivals is expected at n/rate = 80 s. Its standard deviation is at most
		// √(I·n)/rate, where I is the index of dispersion. The tolerance is 4 standard deviations.
		dispersion := 1.0
		if spec.Bursts != nil {
			dispersion = max(1, spec.Bursts(rate, variant(t, spec.Name).Values).Dispersion)
		}
		if last := due[n-1].Seconds(); math.Abs(last-n/rate) > 4*math.Sqrt(dispersion*n)/rate {
			t.Errorf("%s: %d arrivals at %v a second end after %v s, want about %v", spec.Name, n,
				rate, last, n/rate)
		}
	}
}

// Rounding errors must not accumulate. At 3/s every third arrival is at a whole second.
func TestConstant(t *testing.T) {
	due := firstDue(t, "constant", 3, 0, 3_000_000)
	for i := 2; i < len(due); i += 3 {
		if want := time.Duration(i/3+1) * time.Second; due[i] != want {
			t.Fatalf("arrival %d is due at %v, want %v", i, due[i], want)
		}
	}
}

// With n gaps the standard error of the mean is 1/√n. That of C² is √8/√n, because the fourth
// central moment of an exponential distribution is 9. The tolerance is 4 standard errors.
func TestPoisson(t *testing.T) {
	const n, rate = 200_000, 1000.0
	due := firstDue(t, "poisson", rate, 1, n)
	var sum, square, last float64
	for _, d := range due {
		gap := d.Seconds()*rate - last
		last += gap
		sum += gap
		square += gap * gap
	}
	mean := sum / n
	c2 := square/n/(mean*mean) - 1
	if math.Abs(mean-1) > 4/math.Sqrt(n) || math.Abs(c2-1) > 4*math.Sqrt(8)/math.Sqrt(n) {
		t.Errorf("gaps: mean %v/λ, C² %v, want 1 and 1", mean, c2)
	}
	other := firstDue(t, "poisson", rate, 2, 1)
	if other[0] == due[0] {
		t.Error("two seeds have one first arrival")
	}
}

func TestBulk(t *testing.T) {
	due := firstDue(t, "bulk:n=3,period=2s", 0, 0, 9)
	for i, d := range due {
		if want := time.Duration(i/3+1) * 2 * time.Second; d != want {
			t.Errorf("arrival %d is due at %v, want %v", i, d, want)
		}
	}
	due = firstDue(t, "bulk:n=50", 100, 0, 101) // period 50/100 s
	if due[49] != 500*time.Millisecond || due[50] != time.Second ||
		due[100] != 1500*time.Millisecond {
		t.Errorf("arrivals 49, 50, 100 are due at %v, %v, %v", due[49], due[50], due[100])
	}
	if variant(t, "bulk:period=2s").TakesRate() || !variant(t, "bulk").TakesRate() ||
		variant(t, "batch").TakesRate() || variant(t, "closed").TakesRate() {
		t.Error("TakesRate")
	}
}

func TestThink(t *testing.T) {
	for text, want := range map[string]dist.Dist{
		"closed:think=20ms":        dist.Exp(20 * time.Millisecond),
		"closed:think=const(20ms)": dist.Constant{Value: 20 * time.Millisecond},
		"closed:think=0s":          dist.Constant{},
	} {
		v := variant(t, text)
		c, err := v.Spec.Closed(v.Values)
		if err != nil || c.Think != want || c.Count != 16 {
			t.Errorf("%s: %+v, error %v", text, c, err)
		}
	}
	if a, b := variant(t, "closed:think=20ms").String(),
		variant(t, "closed:think=exp(0.02s)").String(); a != b {
		t.Errorf("one process has two names: %s and %s", a, b)
	}
}

func TestImpossible(t *testing.T) {
	var names []string
	for _, spec := range arrivals.All() {
		names = append(names, spec.Name)
	}
	for text, want := range map[string]string{
		"trace":                         "arrival trace: file: must be given",
		"trace:file=testdata/none":      "arrival trace: file: open testdata/none: no such file",
		"trace:file=testdata/trace.csv": "arrival trace: file: testdata/trace.csv: line 2: want a time",
		"trace:file=testdata/trace.csv,column=start,speed=0":  "arrival trace: speed: want 0.001 to",
		"trace:file=testdata/trace.csv,column=start,scale=-1": "arrival trace: scale: want 0.001 to",
		"trace:file=testdata/trace.csv,column=start,from=1h":  "arrival trace: from, to: no record",
		"trace:file=testdata/trace.csv,column=start,from=x":   "arrival trace: from: want 09:00",
		"trace:file=testdata/trace.csv,column=start,at=end":   "arrival trace: at: at=end needs",
		"bulk:n=0":                "arrival bulk: n: want",
		"closed:clients=0":        "arrival closed: clients: want 1 to 1000000",
		"closed:clients=9e9":      "arrival closed: clients: want a whole number",
		"poisson:rate=5":          "arrival poisson: unknown parameter",
		"poissson":                `unknown arrival "poissson" (did you mean poisson? known: ` + strings.Join(names, ", ") + ")",
		"closed:think=gauss(1)":   "arrival closed: think:",
		"linear:slope=-1":         "arrival linear: slope: want 0 to",
		"sine:amp=1":              "arrival sine: amp: want a number of at least 0",
		"sine:period=0s":          "arrival sine: period: want more than 0",
		"sine:phase=1":            "arrival sine: phase: want a number of at least 0",
		"onoff:on=0s":             "arrival onoff: on: want 1µs to 24h",
		"onoff:off=25h":           "arrival onoff: off: want 1µs to 24h",
		"onoff:phases=odd":        "arrival onoff: phases: want",
		"mmpp:ratio=0.5":          "arrival mmpp: ratio: want 1 to 1e6",
		"stages:at=0.6":           "arrival stages: at: want LEVELxTIME",
		"stages:at=0x1s":          "arrival stages: at: 0x1s: every level is 0",
		"stages:at=0..1001x1s":    "arrival stages: at: 0..1001 times the load: want",
		"stages:at=1..x1s":        "arrival stages: at: want LEVELxTIME",
		"stages:at=1..1x1s":       "arrival stages: at: spell 1..1x1s as 1x1s",
		"stages:at=1001x1s":       "arrival stages: at: 1001 times the load: want",
		"stages:at=1x0s":          "arrival stages: at: 0s: want more than 0",
		"stages:at=1x60s":         "arrival stages: at: spell 1x60s as 1x1m",
		"stages:at=1x87600h_1x1s": "arrival stages: at: 1s: want more than 0, at most",
		"stages:at=NaNx1s":        "arrival stages: at: NaN times the load: want",
		"stages:of=closed":        "arrival stages: of: closed accepts no rate",
		"stages:of=stages":        "arrival stages: of: stages accepts no rate",
		"stages:of=bulk(n=0)":     "arrival stages: of: ",
		"mmpp:low=1ns":            "arrival mmpp: low: want 1µs to 24h",
	} {
		c, err := param.Parse(text)
		if err == nil {
			_, err = arrivals.Resolve(c)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line that begins with %q", text, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		period := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "period"))
		v := variant(t, fmt.Sprintf("bulk:n=%d,period=%v", n, period))
		if again := variant(t, v.String()); again.String() != v.String() {
			t.Fatalf("%s reads back as %s", v, again)
		}
	})
}

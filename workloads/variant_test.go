package workloads_test

import (
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(s string) (workloads.Variant, error) {
	call, err := param.Parse(s)
	if err != nil {
		return workloads.Variant{}, err
	}
	return workloads.Resolve(call)
}

func build(t testing.TB, s string, seed uint64) workloads.Workload {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(seed, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := w.(io.Closer); ok {
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Errorf("%s: closing: %v", s, err)
			}
		})
	}
	return w
}

var complete = map[string]string{"trace": "trace:file=testdata/trace.csv,column=2"}

func TestEverySpecIsListable(t *testing.T) {
	for _, s := range workloads.All() {
		spelling := complete[s.Name]
		if s.Summary == "" || strings.ContainsAny(s.Summary, "\n|") {
			t.Errorf("%s: summary %q does not fit a line of a table", s.Name, s.Summary)
		}
		for _, k := range s.Keys {
			if k.Doc == "" || k.Default == "" && spelling == "" {
				t.Errorf("%s: parameter %s wants a default and a line of documentation", s.Name,
					k.Name)
			}
		}
		if spelling == "" {
			spelling = s.Name
		}
		w := build(t, spelling, 1)
		_, distributed := w.(workloads.Distributed)
		_, timed := w.(workloads.Timed)
		_, endless := w.(workloads.Endless)
		if wait := s.Kind == workloads.Wait && !endless; timed != wait || distributed && !wait {
			t.Errorf("%s is of kind %v, but Distributed: %v, Timed: %v", s.Name, s.Kind,
				distributed, timed)
		}
		if w.Mean() <= 0 {
			t.Errorf("%s: mean %v", s.Name, w.Mean())
		}
	}
}

func TestCanonicalVariants(t *testing.T) {
	for in, want := range map[string]string{
		"exponential":                            "exponential",
		"exponential:mean=0.01s":                 "exponential",
		"hyperexp:c2=4.0,mean=20ms":              "hyperexp:mean=20ms,c2=4",
		"bimodal:p=0.05,short=1ms,long=50ms":     "bimodal",
		"bimodal:long=0.1s":                      "bimodal:long=100ms",
		"mixture:w3=0,d1=exp(714us),w2=0,w1=1.0": "mixture:w1=1,w2=0",
		"bounded_pareto:high=1000ms,low=2ms":     "bounded_pareto:low=2ms",
		"two_class:r=50.0,mean=1ms":              "two_class:mean=1ms",
		"cpu_sha256:blocks=100":                  "cpu_sha256:blocks=100",
		"cpu_random:bytes=1024":                  "cpu_random:bytes=1KiB",
		"cpu_random:mean=1ms,bytes=0":            "cpu_random",
		"cpu_io:cpu=0.02s,wait=0.01s,p=0.10":     "cpu_io:cpu=20ms,wait=const(10ms)",
	} {
		if v, err := parse(in); err != nil || v.String() != want {
			t.Errorf("%s is spelt %v, %v; want %s", in, v, err, want)
		}
	}
}

func TestImpossibleParametersAreNamed(t *testing.T) {
	for in, want := range map[string]string{
		"sleep":               `unknown workload "sleep" (known: ` + workloads.All()[0].Name + ", ",
		"constant:mean=0":     "workload constant: mean: must be positive, got 0s",
		"exponential:mean=0s": "workload exponential: mean: must be positive, got 0s",
		"exponential:c2=1":    `workload exponential: unknown parameter "c2" (known: mean, weights)`,
		"lognormal:mean=0s":   "workload lognormal: mean: must be positive, got 0s",
		"lognormal:c2=0":      "workload lognormal: c2: must be positive, got 0",
		"lognormal:c2=-1": "workload lognormal: c2: must be between 0 and " +
			"1000000000, got -1",
		"hyperexp:c2=0.99": "workload hyperexp: c2: must be between 1 and " +
			"1000000000, got 0.99",
		"hyperexp:mean=0s": "workload hyperexp: mean: must be positive, got 0s",
		"bimodal:p=0": "workload bimodal: p: must be between 0 and 1, both " +
			"excluded, got 0",
		"bimodal:p=1": "workload bimodal: p: must be between 0 and 1, both " +
			"excluded, got 1",
		"bimodal:short=50ms": "workload bimodal: short: must be shorter than long, " +
			"got short=50ms and long=50ms",
		"mixture:w1=1": "workload mixture: the weights must add up to 1, got " +
			"1 + 0.02 = 1.02",
		"mixture:w1=0,w2=0": "workload mixture: the weights must add up to 1, got 0",
		"mixture:w3=-0.1":   "workload mixture: w3: must be between 0 and 1, got -0.1",
		"mixture:d3=1ms":    "workload mixture: d3: needs a weight, w3",
		"mixture:w9=1":      `workload mixture: unknown parameter "w9"`,
		"mixture:d2=hyperexp(1ms,4)": "workload mixture: d2: a branch cannot be a mixture " +
			"itself, got hyperexp(1ms,4)",
		"mixture:w1=1,w2=0,d1=0": "workload mixture: the mean of a mixture must be " +
			"positive",
		"mixture:w1=1,w2=0,d1=exp(0.1ns)": "workload mixture: the mean of a mixture must be at " +
			"least 1ns, got 0.1ns",
		"bounded_pareto:alpha=0": "workload bounded_pareto: alpha: must be between " +
			"0.001 and 1000, got 0",
		"bounded_pareto:low=1s": "workload bounded_pareto: low: must be less than " +
			"high, got low=1s and high=1s",
		"bounded_pareto:low=0s": "workload bounded_pareto: low: must be positive, got 0s",
		"two_class:mean=999ns": "workload two_class: mean: must be at least 1us, got " +
			"999ns",
		"two_class:r=0.5": "workload two_class: r: must be between 1 and " +
			"1000000000, got 0.5",
		"two_class:mean=1h,r=1e9": "workload two_class: r: a long task would take longer " +
			"than 292 years",
		"two_class:r=1e10": "workload two_class: r: must be between 1 and " +
			"1000000000, got 10000000000",
		"cpu_pbkdf2:iterations=-1": "workload cpu_pbkdf2: iterations: must be positive, " +
			"got -1",
		"cpu_random:mean=2ms,bytes=1KiB": "workload cpu_random: bytes: give either bytes or " +
			"mean, not both",
		"cpu_random:bytes=2GiB": "workload cpu_random: bytes: must be at most " +
			"2147483647, got 2147483648",
		"cpu_random:bytes=-1": `workload cpu_random: bytes: want a size in bytes such as 512, 64KiB or 1MB, got "-1"`,
		"cpu_average:mean=0s": "workload cpu_average: mean: must be positive, got 0s",
		"cpu_average:r=0.5": "workload cpu_average: r: must be between 1 and " +
			"1000000000, got 0.5",
		"cpu_average:n=3000000000": "workload cpu_average: n: must be at most 2147483647, " +
			"got 3000000000",
		"cpu_json:n=21": "workload cpu_json: n: must be between 0 and 20, got 21",
		"cpu_json:n=-1": "workload cpu_json: n: must be between 0 and 20, got -1",
		"cpu_sort:n=0": "workload cpu_sort: n: must be between 1 and 10000000, " +
			"got 0",
		"cpu_io:p=1.5":         "workload cpu_io: p: must be between 0 and 1, got 1.5",
		"cpu_io:cpu=0s":        "workload cpu_io: cpu: must be positive, got 0s",
		"cpu_io:wait=0s":       "workload cpu_io: wait: the mean must be positive",
		"cpu_sha256:blocks=-1": "workload cpu_sha256: blocks: must be positive, got -1",
		"cpu_sha256:mean=0s":   "workload cpu_sha256: mean: must be positive, got 0s",
		"cpu_sha256:mean=2ms,blocks=10": "workload cpu_sha256: blocks: give either blocks or " +
			"mean, not both",
		"cpu_sha256:blocks=3000000000": "workload cpu_sha256: blocks: must be at most " +
			"2147483647, got 3000000000",
	} {
		if v, err := parse(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
	// only calibration can reject these
	for _, in := range []string{"cpu_sha256:mean=1ns", "cpu_sha256:mean=1000h", "cpu_gzip:mean=1ns",
		"cpu_average:mean=1h"} {
		v, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := v.Spec.Build(1, v.Values); err == nil ||
			!strings.HasPrefix(err.Error(), "workload "+in+": mean: ") {
			t.Errorf("%s built %v, %v", in, w, err)
		}
	}
}

func FuzzParseVariant(f *testing.F) {
	for _, s := range workloads.All() {
		f.Add(s.Name)
		for _, k := range s.Keys {
			f.Add(s.Name + ":" + k.Name + "=" + k.Default)
		}
	}
	for _, s := range complete {
		f.Add(s)
	}
	f.Add("hyperexp:mean=1h,c2=1e9")
	f.Add("bimodal:p=1e-9,short=0s,long=1ns")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parse(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		again, err := parse(v.String())
		if err != nil || again.String() != v.String() {
			t.Fatalf("%q is spelt %q, which reads back as %q, %v", s, v, again, err)
		}
		if v.Spec.Kind != workloads.Wait {
			return
		}
		w, err := v.Spec.Build(1, v.Values)
		if err != nil {
			t.Fatalf("%q parses but does not build: %v", s, err)
		}
		if timed, ok := w.(workloads.Timed); ok && timed.Time(1) < 0 ||
			w.Mean() < 0 || !(w.C2() >= 0) {
			t.Fatalf("%q: a task takes negative time, or mean %v, C² %v", s, w.Mean(), w.C2())
		}
	})
}

package workloads_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(s string) (workloads.Variant, error) {
	call, err := param.Parse(s)
	if err != nil {
		return workloads.Variant{}, err
	}
	return workloads.ParseVariant(call)
}

func build(t testing.TB, s string, seed uint64) workloads.Workload {
	t.Helper()
	v, err := parse(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Build(seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestEverySpecIsListable(t *testing.T) {
	for _, s := range workloads.All() {
		if s.Summary == "" || strings.ContainsAny(s.Summary, "\n|") {
			t.Errorf("%s: summary %q does not fit a line of a table", s.Name, s.Summary)
		}
		for _, k := range s.Keys {
			if k.Doc == "" || k.Default == "" {
				t.Errorf("%s: parameter %s wants a default and a line of documentation", s.Name, k.Name)
			}
		}
		w := build(t, s.Name, 1)
		_, distributed := w.(workloads.Distributed)
		_, timed := w.(workloads.Timed)
		if wait := s.Kind == workloads.Wait; distributed != wait || timed != wait {
			t.Errorf("%s is of kind %v, but Distributed: %v, Timed: %v", s.Name, s.Kind, distributed, timed)
		}
		if w.Mean() <= 0 {
			t.Errorf("%s: mean %v", s.Name, w.Mean())
		}
	}
}

func TestVariantIsSpeltOneWay(t *testing.T) {
	for in, want := range map[string]string{
		"exponential":                        "exponential",
		"exponential:mean=0.01s":             "exponential",
		"hyperexp:c2=4.0,mean=20ms":          "hyperexp:mean=20ms,c2=4",
		"bimodal:p=0.05,short=1ms,long=50ms": "bimodal",
		"bimodal:long=0.1s":                  "bimodal:long=100ms",
		"cpu_sha256:blocks=100":              "cpu_sha256:blocks=100",
	} {
		if v, err := parse(in); err != nil || v.String() != want {
			t.Errorf("%s is spelt %v, %v; want %s", in, v, err, want)
		}
	}
}

func TestImpossibleParametersAreNamed(t *testing.T) {
	for in, want := range map[string]string{
		"sleep":                         `unknown workload "sleep" (known: bimodal, constant, cpu_sha256, exponential, hyperexp, lognormal)`,
		"constant:mean=0":               "workload constant: mean: must be positive, got 0s",
		"exponential:mean=0s":           "workload exponential: mean: must be positive, got 0s",
		"exponential:c2=1":              `workload exponential: unknown parameter "c2" (known: mean)`,
		"lognormal:mean=0s":             "workload lognormal: mean: must be positive, got 0s",
		"lognormal:c2=0":                "workload lognormal: c2: must be positive, got 0",
		"lognormal:c2=-1":               "workload lognormal: c2: must be between 0 and 1000000000, got -1",
		"hyperexp:c2=0.99":              "workload hyperexp: c2: must be between 1 and 1000000000, got 0.99",
		"hyperexp:mean=0s":              "workload hyperexp: mean: must be positive, got 0s",
		"bimodal:p=0":                   "workload bimodal: p: must be between 0 and 1, both excluded, got 0",
		"bimodal:p=1":                   "workload bimodal: p: must be between 0 and 1, both excluded, got 1",
		"bimodal:short=50ms":            "workload bimodal: short: must be shorter than long, got short=50ms and long=50ms",
		"cpu_sha256:blocks=-1":          "workload cpu_sha256: blocks: must be positive, got -1",
		"cpu_sha256:mean=0s":            "workload cpu_sha256: mean: must be positive, got 0s",
		"cpu_sha256:mean=2ms,blocks=10": "workload cpu_sha256: blocks: give either blocks or mean, not both",
		"cpu_sha256:blocks=3000000000":  "workload cpu_sha256: blocks: must be at most 2147483647, got 3000000000",
	} {
		if v, err := parse(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
	// Only calibration can tell that these are impossible.
	for _, in := range []string{"cpu_sha256:mean=1ns", "cpu_sha256:mean=1000h"} {
		v, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := v.Build(1); err == nil || !strings.HasPrefix(err.Error(), "workload "+in+": mean: ") {
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
		w, err := v.Build(1)
		if err != nil {
			t.Fatalf("%q parses but does not build: %v", s, err)
		}
		if w.(workloads.Timed).Time(1) < 0 || w.Mean() < 0 || !(w.C2() >= 0) {
			t.Fatalf("%q: time %v, mean %v, C² %v", s, w.(workloads.Timed).Time(1), w.Mean(), w.C2())
		}
	})
}

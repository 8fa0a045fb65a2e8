package calibration_test

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine/calibration"
)

// Tolerances are wider at a hundredth of the size.
func TestKnown(t *testing.T) {
	for i, c := range calibration.Known(0.01) {
		if testing.Short() && i%3 != 0 {
			continue
		}
		runs := judged(t, c)
		for _, v := range c.Judge(runs...) {
			if !v.Holds() {
				t.Errorf("%s, %s: %s = %.6g, want %.6g within %.1f %%", c.Name, c.Scenario.Strategy,
					v.Unit, v.Got, v.Want, 100*v.Tolerance)
			}
		}
	}
}

func judged(t *testing.T, c calibration.Case) (runs []*bench.Result) {
	t.Helper()
	for i := range max(c.Count, 1) {
		s := c.Scenario
		s.Seed += uint64(i)
		r, err := bench.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

func TestControl(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, size := range []float64{0.01, 0.1} {
		v, err := calibration.Control(t.Context(), size)
		if err != nil {
			t.Fatal(err)
		}
		if v.Holds() || v.Got > v.Want {
			t.Errorf("at %v of the size the control passes: %s = %.6g, want %.6g within %.1f %%",
				size, v.Unit, v.Got, v.Want, 100*v.Tolerance)
		}
	}
}

// Values and tolerances at size 1 must equal the published ones.
func TestFullSize(t *testing.T) {
	want := map[string]map[string][2]float64{ // value in seconds or as a share, and tolerance
		"A1": {"mean-wait-sec": {7.45541e-3, 0.039}, "waited/op": {0.596432, 0.010},
			"p50-response-sec": {13.4620e-3, 0.015}, "p99-response-sec": {68.9320e-3, 0.036}},
		"A2": {"mean-wait-sec": {3.86095e-3, 0.027}, "waited/op": {0.578282, 0.009},
			"p99-response-sec": {34.5458e-3, 0.029}},
		"A3": {"mean-wait-sec": {23.5524e-3, 0.055}, "waited/op": {0.454069, 0.012},
			"p99-response-sec": {345.152e-3, 0.052}},
		"A4":     {"shed/op": {0.310680, 0.022}},
		"closed": {"ops/s": {354.752, 0.007}, "mean-response-sec": {13.8264e-3, 0.015}},
		"batch":  {"makespan-sec": {2.510833, 0.01}},
	}
	seen := map[string]bool{}
	for _, c := range calibration.Known(1) {
		for _, check := range c.Checks {
			published, ok := want[c.Name][check.Unit]
			if !ok {
				continue
			}
			seen[c.Name] = true
			if math.Abs(check.Want/published[0]-1) > 1e-5 || check.Tolerance > published[1]*1.0001 {
				t.Errorf("%s: %s = %v within %v, published %v within %v", c.Name, check.Unit,
					check.Want, check.Tolerance, published[0], published[1])
			}
		}
	}
	if len(seen) != len(want) {
		t.Errorf("only %v are checked", seen)
	}
}

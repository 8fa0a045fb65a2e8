package workloads_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/workloads"
)

// A waiting task must wait as long as an exponential task with the same seed and number.
func TestCPUIOTasksAreOfOneKind(t *testing.T) {
	const n, p = 2000, 0.25
	w, plain := build(t, "cpu_io:p=0.25,cpu=10us", 3), build(t, "exponential", 3)
	var slept []time.Duration
	w.(workloads.Waiting).SleepBy(func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		return nil
	})
	computing := 0
	for seq := range uint64(n) {
		slept = slept[:0]
		if err := w.Do(context.Background(), seq); err != nil {
			t.Fatal(err)
		}
		if w.(workloads.Computing).Computes(seq) {
			if computing++; len(slept) != 0 {
				t.Fatalf("task %d computes, and slept for %v", seq, slept)
			}
		} else if want := plain.(workloads.Timed).Time(seq); len(slept) != 1 || slept[0] != want {
			t.Fatalf("task %d slept for %v, want %v", seq, slept, want)
		}
	}
	if math.Abs(float64(computing)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
		t.Errorf("%d of %d tasks compute", computing, n)
	}
	if n := testing.AllocsPerRun(1000, func() { w.(workloads.Computing).Computes(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// With a computation of c, waits of mean 3c and p=½, the mean is 2c. Constant waits have C² = 1/4.
// Exponential waits have E[S²] = (c² + 18c²)/2 and C² = 9.5/4 − 1.
func TestCPUIOMoments(t *testing.T) {
	c := build(t, "cpu_sha256:mean=10ms", 1).Mean()
	three := (3 * c).String()
	for s, want := range map[string]struct {
		mean time.Duration
		c2   float64
	}{
		"cpu_io:p=0.5,wait=const(" + three + ")":     {2 * c, 0.25},
		"cpu_io:p=0.5,wait=exp(" + three + ")":       {2 * c, 9.5/4 - 1},
		"cpu_io:p=1":                                 {c, 0},
		"cpu_io:p=0,wait=lognormal(" + three + ",4)": {3 * c, 4},
	} {
		w := build(t, s, 1)
		if w.Mean() != want.mean || math.Abs(w.C2()-want.c2) > 1e-6 {
			t.Errorf("%s: mean %v and C² %v, want %v and %v", s, w.Mean(), w.C2(),
				want.mean, want.c2)
		}
	}
}

func TestCPUIOEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []string{"cpu_io:p=0,wait=1h", "cpu_io:p=1"} {
		if err := build(t, s, 1).Do(ended, 1); err != context.Canceled {
			t.Errorf("%s, with an ended context: %v", s, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := build(t, "cpu_io:p=0,wait=1h", 1).Do(ctx, 1); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("during a wait: %v", err)
	}
	if err := build(t, "cpu_io:p=1", 1).Do(&looksThenEnds{Context: context.Background()},
		1); err != context.Canceled {
		t.Errorf("during a computation: %v", err)
	}
}

func TestImpossibleCPUIO(t *testing.T) {
	for _, in := range []string{"cpu_io:cpu=1ns", "cpu_io:cpu=1000h"} {
		v, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := v.Spec.Build(1, v.Values); err == nil ||
			!strings.HasPrefix(err.Error(), "workload "+in+": cpu: ") {
			t.Errorf("%s built %v, %v", in, w, err)
		}
	}
}

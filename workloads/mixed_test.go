package workloads_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// C² is 4·9²/(1+9)², because the computation is constant.
func TestMixedMoments(t *testing.T) {
	hash := build(t, "cpu_sha256", 1)
	w := build(t, "mixed:wait=lognormal(9ms,4)", 1)
	if got, want := w.Mean(), hash.Mean()+9*time.Millisecond; got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	if share := 9e6 / float64(w.Mean()); math.Abs(w.C2()-4*share*share) > 1e-12 {
		t.Errorf("C² %v, want %v", w.C2(), 4*share*share)
	}
	w = build(t, "mixed:wait=0s", 1)
	if w.Mean() != hash.Mean() || w.C2() != 0 {
		t.Errorf("without a wait: mean %v, C² %v", w.Mean(), w.C2())
	}
	if err := w.Do(context.Background(), 1); err != nil {
		t.Error(err)
	}
}

// looksThenEnds ends at its second call of Err, after one block of the computation.
type looksThenEnds struct {
	context.Context
	looks int
}

func (c *looksThenEnds) Err() error {
	if c.looks++; c.looks > 1 {
		return context.Canceled
	}
	return nil
}

func TestMixedEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := build(t, "mixed:wait=1h", 1).Do(ctx, 1); err != context.Canceled {
		t.Errorf("before the computation: %v", err)
	}
	if err := build(t, "mixed:wait=1h", 1).Do(&looksThenEnds{Context: context.Background()},
		1); err != context.Canceled {
		t.Errorf("during the computation: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := build(t, "mixed:cpu=100us,wait=1h", 1).Do(ctx, 1); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("during the wait: %v", err)
	}
}

func TestImpossibleMixed(t *testing.T) {
	if v, err := parse("mixed:cpu=0s"); err == nil ||
		err.Error() != "workload mixed: cpu: must be positive, got 0s" {
		t.Errorf("%v, %v", v, err)
	}
	for _, in := range []string{"mixed:cpu=1ns", "mixed:cpu=1000h"} {
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

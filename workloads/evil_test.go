package workloads_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/workloads"
)

func TestEvilTasksEndWithTheirContext(t *testing.T) {
	const timeout = time.Second
	synctest.Test(t, func(t *testing.T) {
		w := build(t, "evil:p=0.25,wait=1ms", 1)
		endless := 0
		for seq := range uint64(400) {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			began := time.Now()
			err := w.Do(ctx, seq)
			took := time.Since(began)
			cancel()
			switch {
			case took == timeout && errors.Is(err, context.DeadlineExceeded):
				endless++
			case took != time.Millisecond || err != nil:
				t.Fatalf("task %d took %v, %v", seq, took, err)
			}
			ctx, cancel = context.WithCancel(context.Background())
			cancel()
			if err := w.Do(ctx, seq); err != context.Canceled {
				t.Fatalf("task %d, cancelled: %v", seq, err)
			}
		}
		if endless < 56 || endless > 144 { // 100 ± 8.7, five standard deviations
			t.Errorf("%d of 400 tasks are endless, want about 100", endless)
		}
	})
}

func TestEvilOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, plain := build(t, "evil:p=0,wait=exp(10ms)", 3), build(t, "exponential", 3)
		for seq := range uint64(50) {
			began := time.Now()
			if err := w.Do(context.Background(), seq); err != nil {
				t.Fatal(err)
			}
			if took, want := time.Since(began), plain.(workloads.Timed).Time(seq); took != want {
				t.Fatalf("task %d took %v, want %v", seq, took, want)
			}
		}
	})
}

func TestEvilIsEndless(t *testing.T) {
	for s, want := range map[string]bool{"evil": true, "evil:p=1": true, "evil:p=0": false} {
		w := build(t, s, 1)
		if got := w.(workloads.Endless).Endless(); got != want || w.Mean() != 10*time.Millisecond ||
			w.C2() != 1 {
			t.Errorf("%s: endless: %v, mean %v, C² %v", s, got, w.Mean(), w.C2())
		}
		if _, timed := w.(workloads.Timed); timed {
			t.Errorf("%s is Timed: it knows how long an endless task takes", s)
		}
	}
	for in, want := range map[string]string{
		"evil:p=-1":         "workload evil: p: must be between 0 and 1, got -1",
		"evil:p=1.5":        "workload evil: p: must be between 0 and 1, got 1.5",
		"evil:wait=0s":      "workload evil: wait: the mean must be positive",
		"evil:wait=exp(0s)": `workload evil: wait: exp: mean: must be positive, got "0s"`,
	} {
		if v, err := parse(in); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
}

package bench_test

import (
	"context"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/progress"
)

// A completed task counts two steps, a shed task and the last phase one.
func TestProgress(t *testing.T) {
	for _, clock := range []string{"virtual", "real"} {
		var p progress.Tracker
		s := scenario(t, bench.Encoded{Strategy: "bounded_queue_shed",
			Workload: "constant:mean=100us", Arrival: "batch", Limit: 2, Queue: 5,
			Tasks: 200, Clock: clock})
		r, err := bench.Run(progress.NewContext(t.Context(), &p), s)
		if err != nil {
			t.Fatal(err)
		}
		shed := metric(t, r, "shed/op")
		if steps, want := p.Pulse().Steps, uint64(200+200*(1-shed)+1.5); shed == 0 ||
			steps != want {
			t.Errorf("%s: %d steps of 200 tasks of which %v were shed, want %d", clock,
				steps, shed, want)
		}
	}
}

func TestEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var p progress.Tracker
	done := make(chan error, 1)
	go func() {
		s := scenario(t, bench.Encoded{Workload: "constant:mean=1ms", Arrival: "constant", Limit: 1,
			Rate: 0.001, Tasks: 10, Clock: "real"})
		_, err := bench.Run(progress.NewContext(ctx, &p), s)
		done <- err
	}()
	for !p.Pulse().Early {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it was interrupted, and says nothing")
	}
}

package builtin_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// workersLeft counts live workers. Only workers in a bubble are marked "durable", not those of
// earlier tests that are about to end.
func workersLeft() (n int) {
	synctest.Wait()
	dump := make([]byte, 1<<20)
	dump = dump[:runtime.Stack(dump, true)]
	for stack := range strings.SplitSeq(string(dump), "\n\n") {
		if strings.Contains(stack, "(durable)") &&
			strings.Contains(stack, "engine.(*Workers).work(") {
			n++
		}
	}
	return n
}

func TestWorkersEndAtDeadline(t *testing.T) {
	for name, want := range map[string]int{"draining_pool": 1, "worker_pool": 4} {
		synctest.Test(t, func(t *testing.T) {
			const ms = time.Millisecond
			log := newLog(20)
			s := startVariant(t, name, 4, 16, log)
			tasks := sleeps(20, 2*ms)
			tasks[0].Arg = time.Hour
			for i := range tasks {
				submitAt(t, s, log, 0, &tasks[i])
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*ms)
			defer cancel()
			err := s.Drain(ctx)
			if e, ok := err.(*strategies.DrainError); !ok ||
				*e != (strategies.DrainError{Abandoned: 10, Running: 1,
					Cause: context.DeadlineExceeded}) {
				t.Errorf("%s: Drain: %v", name, err)
			}
			if at := time.Since(log.start); at != 5*ms+strategies.DrainGrace {
				t.Errorf("%s: Drain returned at %v", name, at)
			}
			if got := workersLeft(); got != want {
				t.Errorf("%s: %d workers are left, want %d", name, got, want)
			}
			if len(log.done) != 19 {
				t.Errorf("%s: %d of the other 19 tasks are done", name, len(log.done))
			}
			time.Sleep(2 * time.Hour)
			if got := workersLeft(); got != 0 || len(log.done) != 20 {
				t.Errorf("%s: after the stuck task has returned, %d workers are left and %d "+
					"tasks are done", name, got, len(log.done))
			}
		})
	}
}

package peers_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Only adaptive limiters report limit changes. failsafe-go may report two at the same time.
func TestLearners(t *testing.T) {
	for name, learns := range map[string]bool{"failsafe_adaptive": true, "concurrency_limits": true,
		"failsafe_priority": true, "failsafe_bulkhead": false} {
		synctest.Test(t, func(t *testing.T) {
			const limit = 16
			spec, p := lookup(t, name, limit)
			room := make(chan struct{}, 1)
			s := spec.New(t.Context(), p,
				strategies.SinkFunc(func(*strategies.Task, strategies.Result) {
					select {
					case room <- struct{}{}:
					default:
					}
				}))
			learner := strategies.LearnerOf(s)
			if (learner != nil) != learns {
				t.Fatalf("%s learns: %v, want %v", name, learner != nil, learns)
			}
			var mu sync.Mutex
			var seen []int
			if learns {
				seen = append(seen, learner.Limit())
				learner.OnLimit(func(limit int) {
					mu.Lock()
					defer mu.Unlock()
					seen = append(seen, limit)
				})
			}
			start := time.Now()
			run := func(context.Context, *strategies.Task) strategies.Result {
				took := 10 * time.Millisecond
				if time.Since(start) > 5*time.Second {
					took *= 10
				}
				time.Sleep(took)
				return strategies.Result{}
			}
			for time.Since(start) < 15*time.Second {
				for s.Submit(t.Context(), &strategies.Task{Run: run}) != nil {
					<-room
				}
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if learns && (len(seen) < 2 || seen[0] != limit || slices.Min(seen) < 1 ||
				slices.Max(seen) > limit || !slices.Contains(seen, learner.Limit())) {
				t.Errorf("%s: limits %v, and %d at the end", name, seen, learner.Limit())
			}
		})
	}
}

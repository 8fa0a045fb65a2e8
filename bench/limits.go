package bench

import (
	"sync"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
)

// A soak has no limitLog, because there may be as many limits as tasks.
type limitLog struct {
	mu      sync.Mutex
	changes []observe.LimitChange
}

func (l *limitLog) watch(s strategies.Strategy, now func() int64) {
	learner := strategies.LearnerOf(s)
	if learner == nil {
		return
	}
	l.changes = append(l.changes, observe.LimitChange{Limit: learner.Limit()})
	learner.OnLimit(func(limit int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if limit != l.changes[len(l.changes)-1].Limit {
			l.changes = append(l.changes, observe.LimitChange{At: now(), Limit: limit})
		}
	})
}

func (l *limitLog) end() []observe.LimitChange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes
}

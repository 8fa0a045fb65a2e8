package targets

import (
	"context"
	"sync"
	"time"
)

// A Policy decides on calls from their instants alone. It keeps state and is not safe for concurrent use.
type Policy interface {
	// Admit decides on a call at now, the time since an origin of the caller's choice; now is not negative and never
	// less than in the call before.
	Admit(now time.Duration) Decision
}

// A Decision is what a Policy says of one call.
type Decision struct {
	Admitted bool
	// RetryAfter is 0 when admitted. Otherwise it is exact: a call at now+RetryAfter is admitted, and one a nanosecond
	// before that is not, provided no other is admitted in between.
	RetryAfter time.Duration
}

// Limited is the Target that asks p about each call. Its clock starts at the first call, and it belongs to p from then on:
// one instance, one run. A call costs a mutex and a reading of the clock; a call whose context has ended is not counted.
func Limited(p Policy) Target { return &limited{policy: p} }

type limited struct {
	mu     sync.Mutex
	policy Policy
	began  time.Time // of the first call; zero before it
}

// Call implements Target.
func (l *limited) Call(ctx context.Context, seq uint64, work func(ctx context.Context, seq uint64) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d := l.decide(); !d.Admitted {
		return &Throttled{RetryAfter: d.RetryAfter}
	}
	return work(ctx, seq)
}

// decide reads the clock under the lock, so that the policy never sees it go back.
func (l *limited) decide() Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = time.Now()
	}
	return l.policy.Admit(time.Since(l.began))
}

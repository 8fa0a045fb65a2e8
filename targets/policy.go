package targets

import (
	"context"
	"sync"
	"time"
)

// A Policy decides on calls from their instants alone. It keeps state and is not safe for
// concurrent use. A Policy with more counts than Limited also has a method Counts, as in Counted
// but called under Limited's lock.
//
// Instants are times since an origin of the caller's choice, not negative and non-decreasing.
type Policy interface {
	// Admit decides on a call at now.
	Admit(now time.Duration) Decision
	// Quota returns the remaining quota at now. It changes nothing.
	Quota(now time.Duration) Quota
}

// A Decision is a Policy's decision on one call.
type Decision struct {
	Admitted bool
	// Wait is how long an admitted call has to wait before it is served; 0 with most policies.
	Wait time.Duration
	// RetryAfter is 0 when admitted. Otherwise it is exact: a call at now+RetryAfter is admitted,
	// and one a nanosecond before that is not, provided no other is admitted in between, and with
	// SECBan, provided no other comes.
	RetryAfter time.Duration
	Refusal    Refusal // why, when not admitted
}

// Limited makes a Target that asks p about each call. Its clock starts at the first call. Use p for
// one Target and one run. It is Counted and Metered. A call costs a mutex and a clock reading, and
// allocates only if it waits or is refused. A call whose context has ended does not reach p. A call
// that gives up while waiting still counts as admitted.
func Limited(p Policy) Target { return &limited{policy: p} }

// PolicyOf returns the Policy of a target made by Limited; nil for any other. A caller may ask it
// for decisions instead of calling the target, but must be its only user.
func PolicyOf(t Target) Policy {
	if l, ok := t.(*limited); ok {
		return l.policy
	}
	return nil
}

// PolicyFor returns the Policy of the targets that the variant builds; nil if they are more than a
// Policy, or cannot be built.
func PolicyFor(v Variant) Policy {
	if v.Spec.New == nil {
		return nil
	}
	t, err := v.Spec.Build(0, v.Values)
	if err != nil {
		return nil
	}
	return PolicyOf(t)
}

// limitedBy is Limited for a Policy that may be impossible.
func limitedBy(p Policy, err error) (Target, error) {
	if err != nil {
		return nil, err
	}
	return Limited(p), nil
}

type limited struct {
	calls  calls
	mu     sync.Mutex
	policy Policy
	began  time.Time // of the first call; zero before it
}

func (l *limited) Call(ctx context.Context, seq uint64, work Work) error {
	if err := l.calls.gone(ctx.Err()); err != nil {
		return err
	}
	d := l.decide()
	if !d.Admitted {
		l.calls.refused.Add(1)
		return &Throttled{RetryAfter: d.RetryAfter, Refusal: d.Refusal}
	}
	if d.Wait > 0 {
		if err := l.calls.gone(wait(ctx, d.Wait)); err != nil {
			return err
		}
	}
	l.calls.admitted.Add(1)
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

func (l *limited) Quota() Quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		return l.policy.Quota(0)
	}
	return l.policy.Quota(time.Since(l.began))
}

func (l *limited) Counts() []Count {
	counts := l.calls.counts()
	if p, more := l.policy.(Counted); more {
		l.mu.Lock()
		defer l.mu.Unlock()
		counts = append(counts, p.Counts()...)
	}
	return counts
}

package targets

import (
	"context"
	"sync"
	"time"
)

// A Policy decides on calls from their times alone. It is not safe for concurrent use. It may also
// have a method Counts, as in Counted. Times are durations since any origin. They must not be
// negative or decrease.
type Policy interface {
	Admit(now time.Duration) Decision
	// Quota returns the remaining quota at now without changing it.
	Quota(now time.Duration) Quota
}

// A Decision is a Policy's decision on one call.
type Decision struct {
	Admitted bool
	// Wait is the time until an admitted call is served, 0 with most policies.
	Wait time.Duration
	// RetryAfter is 0 if admitted. Otherwise it is exact: a call at now+RetryAfter is admitted, and
	// a call one nanosecond earlier is not, if no other call is admitted in between. With SECBan no
	// other call may arrive in between.
	RetryAfter time.Duration
	Refusal    Refusal // reason, if not admitted
}

// Limited returns a Target that applies p to each call and is Counted and Metered. Its clock starts
// at the first call. Use p for one Target and one run. A call that gives up while it waits counts
// as admitted.
func Limited(p Policy) Target { return &limited{policy: p} }

// PolicyOf returns the Policy of a Target made by Limited, or nil. Do not use both for calls.
func PolicyOf(t Target) Policy {
	if l, ok := t.(*limited); ok {
		return l.policy
	}
	return nil
}

// PolicyFor returns the Policy of the targets that the variant builds, or nil.
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
	began  time.Time // time of the first call, zero before it
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

// decide reads the clock under the lock, so the policy sees non-decreasing times.
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

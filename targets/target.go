package targets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Target is the service that tasks call. It decides whether to serve a call, and serves it by
// calling work. It is safe for concurrent use.
type Target interface {
	// Call serves task number seq by calling work, or refuses with an error for which
	// errors.Is(err, ErrThrottled).
	Call(ctx context.Context, seq uint64, work Work) error
}

// Work serves task number seq: it does the task's workload. It returns ctx's error when ctx ends
// first.
type Work = func(ctx context.Context, seq uint64) error

// ErrThrottled is wrapped by the error of every refusal by a target.
var ErrThrottled = errors.New("throttled: refused by the target")

// A Refusal is the reason why a target refuses a call.
type Refusal int

// The refusals. The zero one is a rate limit.
const (
	TooMany     Refusal = iota // calls come too often: 429 Too Many Requests
	Unavailable                // every slot is taken: 503 Service Unavailable
	Banned                     // the client ignored earlier refusals: 403 Forbidden
)

// String names the refusal in lower case.
func (r Refusal) String() string {
	return [...]string{TooMany: "too many calls", Unavailable: "unavailable", Banned: "banned"}[r]
}

// Status is the refusal's HTTP status.
func (r Refusal) Status() int { return [...]int{TooMany: 429, Unavailable: 503, Banned: 403}[r] }

// A Throttled is the error of a refused call: the reason, and when to retry.
type Throttled struct {
	RetryAfter time.Duration // 0: the target cannot know
	Refusal    Refusal
}

// Error states that the call was throttled, the reason unless it is the rate, and for how long.
func (e *Throttled) Error() string {
	text := ErrThrottled.Error()
	if e.Refusal != TooMany {
		text += " (" + e.Refusal.String() + ")"
	}
	if e.RetryAfter > 0 {
		text += ", retry after " + e.RetryAfter.String()
	}
	return text
}

// Unwrap returns ErrThrottled.
func (e *Throttled) Unwrap() error { return ErrThrottled }

// A Spec describes a target and builds it.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string
	// Remedy is the report's advice if the target makes a run slow; "": more room in the target.
	Remedy string
	// its capacity is a rate, so a load relative to the strategy's limit is meaningless
	RateLimits bool
	// Rate returns the calls per second that it serves in the long run, if its parameters determine
	// that; nil: they do not.
	Rate   func(v param.Values) float64
	Keys   []param.Key
	Counts []Counter // in the order of Counted.Counts; empty: it is not Counted
	// New builds the target for one run; its clock starts at the first call. Its error names the
	// impossible parameter.
	New func(seed uint64, v param.Values) (Target, error)
}

var all = registry.Set[Spec]{Kind: "target", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

func (s Spec) check(v param.Values) error {
	_, err := s.New(0, v)
	return err
}

// String is the name.
func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, s) }

// Register adds a target of another package to All, and so to every command, study and report. Call
// it before anything runs. It panics on a name that is taken or not lower_snake, and on a Spec
// without New.
func Register(s Spec) Spec {
	if s.New == nil {
		panic(fmt.Sprintf("target %s: New is nil", s.Name))
	}
	return all.AddOther(s.Name, s)
}

// All returns the Specs in the order of their names, the package's own before those of others.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }

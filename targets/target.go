package targets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Target is the service that tasks call. It serves a call by calling work, or refuses. It is safe
// for concurrent use.
type Target interface {
	// Call serves task number seq. The error of a refusal wraps ErrThrottled.
	Call(ctx context.Context, seq uint64, work Work) error
}

// Work does the work of task number seq. It returns ctx's error when ctx ends first.
type Work = func(ctx context.Context, seq uint64) error

// ErrThrottled is wrapped by the error of every refusal by a target.
var ErrThrottled = errors.New("throttled: refused by the target")

// A Refusal is the reason why a target refuses a call.
type Refusal int

// The refusals. The zero Refusal is a rate limit.
const (
	TooMany     Refusal = iota // calls come too often: 429 Too Many Requests
	Unavailable                // every slot is taken: 503 Service Unavailable
	Banned                     // the client ignored earlier refusals: 403 Forbidden
)

func (r Refusal) String() string {
	return [...]string{TooMany: "too many calls", Unavailable: "unavailable", Banned: "banned"}[r]
}

// Status returns the HTTP status.
func (r Refusal) Status() int { return [...]int{TooMany: 429, Unavailable: 503, Banned: 403}[r] }

// A Throttled is the error of a refused call.
type Throttled struct {
	RetryAfter time.Duration // 0: the target cannot know
	Refusal    Refusal
}

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
	// Rate returns the calls per second that it serves in the long run. Nil: its parameters do not
	// determine that.
	Rate   func(v param.Values) float64
	Keys   []param.Key
	Counts []Counter // in the order of Counted.Counts; empty: it is not Counted
	// New builds the target for one run. Its error names the invalid parameter.
	New func(seed uint64, v param.Values) (Target, error)
}

var all = registry.Set[Spec]{Kind: "target", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

func (s Spec) check(v param.Values) error {
	_, err := s.New(0, v)
	return err
}

func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, s) }

// Register adds a target to All, and so to every command, study and report. Call it before anything
// runs. It panics on a name that is taken or not lower_snake, and on a Spec without New.
func Register(s Spec) Spec {
	if s.New == nil {
		panic(fmt.Sprintf("target %s: New is nil", s.Name))
	}
	return all.AddOther(s.Name, s)
}

// All returns the Specs by name, the package's own before others.
func All() []Spec { return all.All() }

// Lookup returns the named Spec. The error for an unknown name lists the known names.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }

package targets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/parts/registry"
)

// A Target is what the tasks call. It decides whether a call is served; serving it costs the work
// passed in. It is safe for concurrent use.
type Target interface {
	// Call serves task number seq by calling work, or refuses with an error for which
	// errors.Is(err, ErrThrottled).
	Call(ctx context.Context, seq uint64, work Work) error
}

// Work is what serving task number seq costs: the task's workload. It returns ctx's error when ctx
// ends first.
type Work = func(ctx context.Context, seq uint64) error

// ErrThrottled is what every refusal by a target wraps.
var ErrThrottled = errors.New("throttled: refused by the target")

// A Refusal says why a target refuses a call.
type Refusal int

// The refusals. A limited rate is the zero one.
const (
	TooMany     Refusal = iota // calls come too often: 429 Too Many Requests
	Unavailable                // every slot is taken: 503 Service Unavailable
	Banned                     // the client did not heed earlier refusals: 403 Forbidden
)

// String names the refusal in lower case.
func (r Refusal) String() string {
	return [...]string{TooMany: "too many calls", Unavailable: "unavailable", Banned: "banned"}[r]
}

// Status is the refusal's HTTP status.
func (r Refusal) Status() int {
	return [...]int{TooMany: http.StatusTooManyRequests,
		Unavailable: http.StatusServiceUnavailable, Banned: http.StatusForbidden}[r]
}

// A Throttled is a refusal that says why, and when to come again.
type Throttled struct {
	RetryAfter time.Duration // 0: the target cannot know
	Refusal    Refusal
}

// Error says that the call was throttled, why where the rate is not the reason, and for how long.
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
	// its capacity is a rate, so a load relative to the strategy's limit has no meaning
	RateLimits bool
	// Rate is how many calls a second it serves in the long run, where that is a fact of its
	// parameters; nil: it is not.
	Rate   func(v param.Values) float64
	Keys   []param.Key
	Counts []Counter // what the target counts, in the order of Counted; none: it is not Counted
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

// Register adds a target of another package to All, before anything runs: from then on every
// command, study and report knows it by its name. It panics on a name that is taken or not
// lower_snake, and on a Spec without New.
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

package targets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Target is what the tasks call. It decides whether a call is served; serving it costs the work passed in.
// It is safe for concurrent use.
type Target interface {
	// Call serves task number seq by calling work, or refuses with an error for which errors.Is(err, ErrThrottled).
	Call(ctx context.Context, seq uint64, work func(ctx context.Context, seq uint64) error) error
}

// ErrThrottled is what every refusal by a target wraps.
var ErrThrottled = errors.New("throttled: refused by the target")

// A Throttled is a refusal that says when to come again.
type Throttled struct{ RetryAfter time.Duration }

// Error says that the call was throttled and for how long.
func (e *Throttled) Error() string {
	return fmt.Sprintf("%v, retry after %v", ErrThrottled, e.RetryAfter)
}

// Unwrap returns ErrThrottled.
func (e *Throttled) Unwrap() error { return ErrThrottled }

// A Spec describes a target and builds it.
type Spec struct {
	Name       string
	Summary    string // one line
	Source     string
	RateLimits bool // its capacity is a rate, so a load relative to the strategy's limit has no meaning
	Keys       []param.Key
	// New builds the target for one run; its clock starts at the first call. Its error names the impossible parameter.
	New func(seed uint64, v param.Values) (Target, error)
}

var all = registry.Set[Spec]{Kind: "target"}

func register(s Spec) Spec { return all.Add(s.Name, s) }

// All returns the Specs in the order of their names.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }

package targets

import (
	"context"

	"github.com/poolbench/poolbench/bench/param"
)

// A Func is a function as a Target.
type Func func(ctx context.Context, seq uint64, work Work) error

// Call implements Target.
func (f Func) Call(ctx context.Context, seq uint64, work Work) error {
	return f(ctx, seq, work)
}

// Spec describes the target. Every run calls the same function, so its state persists between runs.
// A target with new state in each run needs its own Spec.
func (f Func) Spec(name string) Spec {
	return Spec{
		Name:    name,
		Summary: "a function of this program",
		New:     func(uint64, param.Values) (Target, error) { return f, nil },
	}
}

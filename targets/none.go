package targets

import (
	"context"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name:    "none",
	Summary: "serves every call at once: the strategy alone decides",
	New:     func(uint64, param.Values) (Target, error) { return none{}, nil },
})

type none struct{}

func (none) Call(ctx context.Context, seq uint64, work Work) error {
	return work(ctx, seq)
}

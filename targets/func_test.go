package targets_test

import (
	"context"
	"errors"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/targets"
)

func TestFunc(t *testing.T) {
	odd := targets.Func(func(ctx context.Context, seq uint64,
		work func(context.Context, uint64) error) error {
		if seq%2 == 0 {
			return &targets.Throttled{}
		}
		return work(ctx, seq)
	})
	target, err := odd.Spec("odd").Build(1, param.Values{})
	if err != nil {
		t.Fatal(err)
	}
	var served []uint64
	for seq := range uint64(4) {
		err := target.Call(t.Context(), seq, func(_ context.Context, seq uint64) error {
			served = append(served, seq)
			return nil
		})
		if errors.Is(err, targets.ErrThrottled) != (seq%2 == 0) {
			t.Errorf("call %d: %v", seq, err)
		}
	}
	if len(served) != 2 || served[0] != 1 || served[1] != 3 {
		t.Errorf("served %v", served)
	}
}

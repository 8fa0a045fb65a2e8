package strategies_test

import (
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

func TestQueueSlots(t *testing.T) {
	blocks, sheds, none := strategies.Spec{UsesQueue: true},
		strategies.Spec{UsesQueue: true, Sheds: true}, strategies.Spec{}
	for _, c := range []struct {
		spec                strategies.Spec
		queue, limit, tasks int
		want                int
	}{
		{blocks, 0, 4, 20_000, 20_000}, {blocks, 0, 4, 0, 1 << 20},
		{blocks, 0, 4, 100_000_000, 1 << 20}, {blocks, strategies.NoQueue, 4, 100, 0},
		{blocks, 7, 4, 100, 7},
		{sheds, 0, 4, 20_000, 32}, {sheds, strategies.NoQueue, 4, 100, 0}, {sheds, 7, 4, 100, 7},
		{sheds, 0, strategies.MaxSlots, 1, strategies.MaxSlots},
		{none, 0, 4, 100, 0}, {none, strategies.NoQueue, 4, 100, 0}, {none, 7, 4, 100, 7},
	} {
		if got := c.spec.QueueSlots(c.queue, c.limit, c.tasks); got != c.want {
			t.Errorf("queue %d, limit %d, %d tasks, sheds %v: %d slots, want %d", c.queue, c.limit,
				c.tasks, c.spec.Sheds, got, c.want)
		}
	}
}

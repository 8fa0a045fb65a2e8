package strategytest_test

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// A tree with one root has (w^d − 1)/(w − 1) inner tasks.
func TestTreeEnough(t *testing.T) {
	for _, tree := range []strategytest.Tree{
		{1, 3, 2, true}, {1, 2, 4, true}, {1, 1, 3, true}, {1, 10, 1, true}, {1, 5, 0, true},
	} {
		power, sum := 1, 0
		for range tree.Levels {
			sum += power
			power *= tree.Width
		}
		if tree.Width > 1 && sum != (power-1)/(tree.Width-1) || tree.Enough() != sum+1 {
			t.Errorf("%+v: %d tasks have children, enough is %d", tree, tree.Inner(), tree.Enough())
		}
	}
	if n := (strategytest.Tree{Roots: 100, Width: 10, Levels: 1}).Enough(); n != 101 {
		t.Errorf("100 tasks that wait: %d slots are enough", n)
	}
}

// A FIFO pool needs one slot more than there are inner tasks.
func TestSmallestLimit(t *testing.T) {
	for _, name := range []string{"worker_pool", "semaphore", "errgroup_limit", "unbounded"} {
		for _, tree := range []strategytest.Tree{
			{1, 3, 2, true}, {1, 2, 3, true}, {2, 2, 1, true}, {1, 1, 4, true}, {4, 3, 0, true},
		} {
			got, err := strategytest.SmallestLimit(strategies.MustParse(name).Spec, tree)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := tree.Enough()
			if name == "unbounded" {
				want = 1
			}
			if got.Limit != want || got.Refuses ||
				(want > 1) != strings.Contains(got.Hang, "Submit") && tree.Levels > 0 {
				t.Errorf("%s, %+v: %v, want %d: %s", name, tree, got, want, got.Hang)
			}
		}
	}
}

func TestNeverNested(t *testing.T) {
	tree := strategytest.Tree{Roots: 1, Width: 2, Levels: 1, Waits: true}
	never, err := strategytest.SmallestLimit(referenceSpec(waitsForParent, blocking), tree)
	if err != nil || never.Limit != 0 || never.Refuses || never.Hang == "" {
		t.Errorf("%v, %v", never, err)
	}
	shed, err := strategytest.SmallestLimit(referenceSpec(sound, shedding), tree)
	if err != nil || shed.Limit != 3 || !shed.Refuses {
		t.Errorf("%v, %v", shed, err)
	}
}

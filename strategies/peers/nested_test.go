package peers_test

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestNestedHangs(t *testing.T) {
	for name, test := range map[string]struct {
		strategy string
		tree     strategytest.Tree
		want     int
		waits    string // who, at one slot less
	}{
		// github.com/panjf2000/ants/issues/197: each task submits three, and Submit blocks
		"ants#197": {"ants", strategytest.Tree{Roots: 12, Width: 3, Levels: 1}, 13, "Submit"},
		// the second example of that issue, with a pool of one
		"ants#197 of one": {"ants", strategytest.Tree{Roots: 1, Width: 1, Levels: 1}, 2, "Submit"},
		// github.com/alitto/pond/issues/56: each of 100 (here 20) tasks waits for ten
		"pond#56": {"pond", strategytest.Tree{Roots: 20, Width: 10, Levels: 1, Waits: true}, 21,
			"invokeTask"},
		"pond, which queues what nobody waits for": {"pond",
			strategytest.Tree{Roots: 12, Width: 3, Levels: 1}, 1, ""},
		"errgroup with SetLimit": {"errgroup_limit",
			strategytest.Tree{Roots: 4, Width: 1, Levels: 2}, 5, "Submit"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := strategytest.SmallestLimit(
				strategies.MustParse(test.strategy).Spec, test.tree)
			if err != nil || got.Limit != test.want || !strings.Contains(got.Hang, test.waits) {
				t.Errorf("%v, want %d: %v%s", got, test.want, err, got.Hang)
			}
		})
	}
}

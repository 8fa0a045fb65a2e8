package runs

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// Three or more strategies with equal results must share a row. Two strategies have a row each.
func TestAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	type table struct{ strategies, loads, row, without, note string }
	for _, c := range []table{
		{"worker_pool,codel_lifo,semaphore,errgroup_limit", "0.9",
			"\n  worker_pool and 2 alike  ", "\n  semaphore ",
			"\n  alike in every run: worker_pool, semaphore, errgroup_limit\n"},
		{"worker_pool,codel_lifo,semaphore", "0.9", "\n  semaphore ", "alike", ""},
		// equal only at the lower loads
		{"worker_pool,bounded_queue_shed,semaphore", "0.3,0.4,0.5,0.6,1.5", "\n  bounded_queue_shed ",
			"alike", ""},
		{"worker_pool,semaphore,serial,weighted_semaphore", "0.3,0.4,0.5,0.6,0.9",
			"\n  worker_pool and 2 alike  ", "\n  weighted",
			"\n  alike in every run: worker_pool, semaphore, weighted_semaphore\n"},
	} {
		o := clitest.Command(t, "run", "--clock", "virtual", "--strategy", c.strategies, "--load", c.loads,
			"--n", "400", "--force", "--out", "x")
		if o.Code != clitest.Fine || !strings.Contains(o.Stdout, c.row) ||
			strings.Contains(o.Stdout, c.without) || !strings.Contains(o.Stdout, c.note) {
			t.Errorf("%s at %s: exit code %d\n%s%s", c.strategies, c.loads, o.Code, o.Stdout,
				o.Stderr)
		}
	}
}

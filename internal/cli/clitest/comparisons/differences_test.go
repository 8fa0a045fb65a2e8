package comparisons

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// The components of a difference must add up to the nanosecond, under both clocks.
func TestDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	for clock, args := range map[string]string{
		"virtual": "--workload two_class:mean=10ms,r=9 --load 0.9 --n 2000 --count 5",
		"real":    "--workload exponential:mean=1ms --rate 1500 --n 500",
	} {
		o := clitest.Command(t, strings.Fields("run --strategy worker_pool,semaphore,codel_lifo,"+
			"segregated --quiet --clock "+clock+" --out "+clock+" "+args)...)
		if o.Code == int(terminal.Unusable) {
			t.Fatal(o.Stderr) // a run may be INVALID on a busy machine
		}
		o = clitest.Succeed(t, "compare", clock, "--col", "/strategy", "--format", "json")
		type sum struct {
			Tasks      int              `json:"tasks"`
			ResponseNs int64            `json:"responseNs"`
			PartsNs    map[string]int64 `json:"partsNs"`
		}
		var said struct {
			Parts []struct {
				Column string `json:"column"`
				All    sum    `json:"all"`
				Tail   *sum   `json:"tail"`
			} `json:"parts"`
		}
		if err := json.Unmarshal([]byte(o.Stdout), &said); err != nil {
			t.Fatal(err)
		}
		if len(said.Parts) != 3 {
			t.Errorf("%s: %d columns have parts", clock, len(said.Parts))
		}
		for _, p := range said.Parts {
			for _, s := range []*sum{&p.All, p.Tail} {
				if s == nil {
					if clock == "virtual" {
						t.Errorf("%s: no tail", p.Column)
					}
					continue
				}
				total := int64(0)
				for _, ns := range s.PartsNs {
					total += ns
				}
				if s.Tasks == 0 || total != s.ResponseNs || len(s.PartsNs) != 5 {
					t.Errorf("%s, %s: %+v does not add up", clock, p.Column, s)
				}
			}
		}
		if o := clitest.Command(t, "compare", clock, clock); strings.Contains(o.Stdout,
			"above on either side") {
			t.Errorf("%s differs from itself:\n%s", clock, o.Stdout)
		}
	}
	// the same work with one slot less, under the same name
	for out, limit := range map[string]string{"old": "4", "new": "3"} {
		clitest.Succeed(t, strings.Fields("run --strategy worker_pool --clock virtual "+
			"--rate 250 --n 1000 --count 8 --quiet --out "+out+" --limit "+limit)...)
		rename(t, out, "/limit="+limit, "/limit=9")
	}
	o := clitest.Command(t, "gate", "old", "new")
	if o.Code != int(terminal.Regression) || !strings.Contains(o.Stdout, "on either side: mean +") ||
		!strings.Contains(strings.Join(strings.Fields(o.Stdout), " "), " queued; ") {
		t.Errorf("exit code %d, and no word of parts:\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	for _, file := range []string{"results.txt", "distributions.hlog"} {
		clitest.Write(t, dir+"/"+file, strings.ReplaceAll(clitest.Read(t, dir+"/"+file), from, to))
	}
}

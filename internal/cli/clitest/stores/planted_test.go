package stores

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// crash must recognize stores that lose tasks when they are submitted or delivered, that lose one
// task in many hundred, or that deliver tasks twice. Only the numbers of tasks and kills differ
// from the defaults. If a kill must interrupt tasks in service, tasks take 50 ms. With 5 ms on a
// busy disk, fewer than one task is in service on average, because submits hold the lock of the
// spool. Three kills may then interrupt none.
func TestCrashNames(t *testing.T) {
	for name, c := range map[string]struct {
		code  int
		is    func(crashed) bool
		tasks int // 0 means 3000
		more  []string
	}{
		"planted_sound": {code: clitest.Fine, is: func(d crashed) bool { return d.Lost == 0 }},
		"planted_late": {code: clitest.Regression, is: func(d crashed) bool {
			return d.Lost > 2*d.LostBegun
		}},
		"planted_early": {code: clitest.Regression, is: func(d crashed) bool {
			return d.LostBegun > 0 && d.InService >= d.LostBegun
		}, tasks: 300, more: []string{"--workload", "constant:mean=50ms", "--rate", "9000"}},
		"planted_some": {code: clitest.Regression, is: func(d crashed) bool {
			return d.Lost >= 3 && d.Lost <= 5 && d.LostBegun == 0
		}},
		"planted_doubles": {code: clitest.Fine, is: func(d crashed) bool {
			return d.Lost == 0 && d.Twice > 20
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "planted_some" {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			tasks := cmp.Or(c.tasks, 3000)
			args := strings.Fields("crash " + name + " --kills 3 --quiet --format json --tasks " +
				strconv.Itoa(tasks))
			cmd, _ := clitest.IsolatedProcess(t, []string{clitest.PlantedHere + "=1"},
				append(args, c.more...)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			var doc crashed
			if err := json.Unmarshal(out, &doc); err != nil {
				t.Fatalf("%v: %s%s", err, out, stderr.String())
			}
			t.Logf("%+v", doc.Report)
			if code := cmd.ProcessState.ExitCode(); code != c.code || !c.is(doc) ||
				doc.Once+doc.Twice+doc.Dead+doc.Lost != tasks {
				t.Errorf("exit code %d: %+v %s", code, doc, stderr.String())
			}
		})
	}
}

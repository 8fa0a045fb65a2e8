package stores

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/house/check"
)

// TestCrashNames: a store that loses what it accepted, on the way in, on the way out or one in many
// hundred, and one that delivers twice, are told as what they are, at crash's own defaults but for
// the number of tasks and kills, and for tasks of 5 ms where a kill has to meet some in service: of
// 1 ms, less than one is on a fast machine, and three kills may meet none.
func TestCrashNames(t *testing.T) {
	for name, c := range map[string]struct {
		code int
		is   func(crashed) bool
		more []string
	}{
		"planted_sound": {code: clitest.Fine, is: func(d crashed) bool { return d.Lost == 0 }},
		"planted_late": {code: clitest.Regression, is: func(d crashed) bool {
			return d.Lost > 2*d.LostBegun
		}},
		"planted_early": {code: clitest.Regression, is: func(d crashed) bool {
			return d.Lost > 0 && d.LostBegun > 0
		}, more: []string{"--workload", "constant:mean=5ms", "--rate", "9000"}}, // so that many wait
		"planted_some": {code: clitest.Regression, is: func(d crashed) bool {
			return d.Lost >= 3 && d.Lost <= 5 && d.LostBegun == 0
		}},
		"planted_doubles": {code: clitest.Fine, is: func(d crashed) bool {
			return d.Lost == 0 && d.Twice > 20
		}},
	} {
		t.Run(name, func(t *testing.T) {
			check.Other(t, name == "planted_some")
			t.Parallel()
			args := strings.Fields("crash " + name + " --tasks 3000 --kills 3 --quiet --format json")
			cmd, _ := clitest.Apart(t, []string{clitest.PlantedHere + "=1"},
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
				doc.Once+doc.Twice+doc.Dead+doc.Lost != 3000 {
				t.Errorf("exit code %d: %+v %s", code, doc, stderr.String())
			}
		})
	}
}

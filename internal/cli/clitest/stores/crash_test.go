package stores

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/crash"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// The counts in the JSON must add up. The exit code is 0, because a volatile strategy may lose
// tasks.
func TestCrash(t *testing.T) {
	for strategy, loses := range map[string]bool{"sqlite_queue:sync=normal": false,
		"worker_pool": true} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			page := filepath.Join(t.TempDir(), "page.html")
			r := clitest.Command(t, "crash", strategy, "--tasks", "300", "--kills", "3", "--limit", "2",
				"--workload", "constant:mean=2ms", "--format", "json", "--quiet", "--html", page)
			var doc crashed
			if err := json.Unmarshal([]byte(r.Stdout), &doc); err != nil || r.Code != clitest.Fine {
				t.Fatalf("%s: exit code %d, %v: %s%s", strategy, r.Code, err, r.Stdout, r.Stderr)
			}
			if doc.Format != "poolbench crash" || doc.Accepted != 300 || doc.Restarts != 3 ||
				doc.Lost+doc.Once+doc.Twice+doc.Dead != 300 || (doc.Lost > 0) != loses {
				t.Errorf("%s: %s", strategy, r.Stdout)
			}
			// sqlite_queue delivers interrupted tasks again after their lease
			if adds := len(strategies.MustParse(strategy).Spec.Adds); len(doc.Added) != adds ||
				doc.Recovered != doc.Interrupted || doc.Stored > 0 {
				t.Errorf("%s: %d additions, want %d; %d of %d interrupted tasks began again; %d are "+
					"not waited for", strategy, len(doc.Added), adds, doc.Recovered, doc.Interrupted,
					doc.Stored)
			}
			text, err := os.ReadFile(page)
			if err != nil || !strings.Contains(string(text), " of 300 accepted tasks in 3 kills") ||
				!strings.Contains(string(text), ">"+strategy+" lost ") {
				t.Errorf("%s: the page does not say it: %v", strategy, err)
			}
		})
	}
}

func TestCrashText(t *testing.T) {
	r := clitest.Command(t, "crash", "serial", "--tasks", "50", "--kills", "1", "--limit", "1", "--quiet")
	finding := regexp.MustCompile("^serial lost \\w+ of 50 accepted tasks in 1 kill(; no kill " +
		"interrupted a task)?\\.\\n")
	if r.Code != clitest.Fine || !finding.MatchString(r.Stdout) {
		t.Errorf("exit code %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	for line := range strings.Lines(r.Stdout) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

type crashed struct {
	text.Head
	Fault string
	Added []strategies.Addition `json:"added_by_poolbench"`
	crash.Report
}

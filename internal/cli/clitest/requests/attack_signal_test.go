//go:build unix

package requests

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

var partial = regexp.MustCompile(`^PARTIAL: interrupted after [0-9.]+ [a-zµ]+\nGET `)

func TestAttackInterrupt(t *testing.T) {
	for name, args := range map[string]string{
		"open": "--rate 200 --vegeta v.bin", "closed": "--clients 2",
		"through": "--rate 200 --strategy semaphore --limit 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			url, served := clitest.Shop(t, 200)
			cmd := clitest.Process(t, nil,
				append([]string{"attack", url, "--duration", "1h", "--out", "x", "--quiet",
					"--junit", "x.xml", "--objective", "p50-response<1h", "--check", "size < 1GB"},
					strings.Fields(args)...)...)
			var told, shown strings.Builder
			cmd.Stderr, cmd.Stdout = &told, &shown
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for served.Load() < 20 {
				time.Sleep(time.Millisecond)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != clitest.Interrupted {
				t.Errorf("ended with %v", err)
			}
			if want := "x contains 1 of 1 run: interrupted; the last"; !strings.Contains(told.String(),
				want) {
				t.Errorf("%q, want in it %q", told.String(), want)
			}
			if !partial.MatchString(shown.String()) {
				t.Errorf("output begins %.80q", shown.String())
			}
			if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results,
				"\nBenchmarkAttack/") ||
				!strings.HasSuffix(results, "\n# partial 1 of 1 runs: interrupted\n") {
				t.Errorf("results end %q", results[max(0, len(results)-100):])
			}
			for _, c := range suite(t, "x.xml").Cases {
				if c.Error == nil && c.Skipped == nil { // the validity check must be undecided, too
					t.Errorf("%s of what was interrupted passes: %+v", c.Name, c)
				}
			}
		})
	}
}

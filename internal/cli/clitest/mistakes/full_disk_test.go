//go:build unix

package mistakes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// runWithFileLimit limits the size of files, in blocks of 512 bytes. A write beyond the limit fails
// like a write to a full disk.
func runWithFileLimit(t *testing.T, blocks int, args ...string) clitest.Outcome {
	t.Helper()
	cmd := clitest.Process(t, nil, args...)
	cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks),
		cmd.Path}, args...)
	cmd.Path = "/bin/sh"
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return clitest.Outcome{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(),
		Stderr: stderr.String()}
}

// Only complete results may have an end mark.
func TestFullDisk(t *testing.T) {
	for name, args := range map[string][]string{
		// With responses, distributions.hlog is larger than the files written after it.
		"run": clitest.Quick("--out", "x", "--force", "--responses", "0"),
		"capacity": clitest.QuickSearch("--objective", "p99-response<100ms", "--resolution",
			"50%", "--force"),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "run" {
				t.Skip("long: skipped with -short")
			}
			t.Chdir(t.TempDir())
			fault := regexp.MustCompile(
				`^poolbench: .*\bx/(\S+): file too large\n(poolbench: x contains 0 of 1 runs: given up\n)?$`)
			var full []string
			for blocks := 0; ; blocks = max(1, 4*blocks) {
				o := runWithFileLimit(t, blocks, args...)
				if o.Code == clitest.Fine {
					break
				}
				named := fault.FindStringSubmatch(o.Stderr)
				if o.Code != clitest.Unusable || named == nil {
					t.Fatalf("%d blocks: exit code %d\n%s", blocks, o.Code, o.Stderr)
				}
				full = append(full, named[1])
				if _, err := os.Stat("x/report.html"); err == nil ||
					strings.Contains(o.Stdout, "Report: ") {
					t.Errorf("%d blocks: there is a report\n%s", blocks, o.Stdout)
				}
				results, err := os.ReadFile("x/results.txt")
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				ended := strings.Contains(string(results), "\n# complete ") ||
					strings.Contains(string(results), "\n# partial ")
				if drawn := named[1] == "report.html" ||
					strings.HasPrefix(named[1], "charts/"); ended != drawn {
					t.Errorf("%d blocks, and no more of %s: the results end %q", blocks, named[1],
						results[max(0, len(results)-100):])
				}
			}
			for _, file := range []string{".lock", "results.txt", "timeline.csv"} {
				if !slices.Contains(full, file) {
					t.Errorf("%s was never too large, only %v", file, full)
				}
			}
		})
	}
}

// If a file of the directory is a device, no command may write to the directory.
func TestNoFile(t *testing.T) {
	for _, file := range []string{"results.txt", "distributions.hlog", "timeline.csv",
		"slowest.csv"} {
		t.Chdir(t.TempDir())
		clitest.Succeed(t, clitest.Quick("--out", "x")...)
		if err := os.Remove("x/" + file); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(os.DevNull, "x/"+file); err != nil {
			t.Fatal(err)
		}
		before := map[string]string{}
		for _, other := range []string{"results.txt", "distributions.hlog",
			"timeline.csv", "slowest.csv", "report.html"} {
			if other != file {
				before[other] = clitest.Read(t, "x/"+other)
			}
		}
		for _, mode := range []string{"--append", "--resume"} {
			want := "poolbench: --out: x/" + file + " is not a regular file\n"
			if o := clitest.Command(t, clitest.Quick("--out", "x",
				mode)...); o.Code != clitest.Unusable ||
				o.Stderr != want || o.Stdout != "" {
				t.Errorf("%s %s: exit code %d\n%s%s", mode, file, o.Code, o.Stderr, o.Stdout)
			}
			for other, was := range before {
				if clitest.Read(t, "x/"+other) != was {
					t.Errorf("%s: with no %s, %s is changed", mode, file, other)
				}
			}
		}
	}
}

package mistakes

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

var sweep = flag.Bool("sweep", false, "100,000 lines of TestCommandLines")

// With lineVariable, TestCommandLines runs only the line of this seed.
const lineVariable = "POOLBENCH_LINE"

// goWords are Go's own terms, which must not appear in messages.
var goWords = []string{"strconv.", "%!", "runtime error", "goroutine ", "nil pointer", "reflect:",
	"json: cannot", "json: unknown", "interface {}", "syntax error in pattern",
	"context deadline exceeded", "context canceled"}

// A failure prints the seed of its line.
func TestCommandLines(t *testing.T) {
	lines, first := 400, 0
	if testing.Short() {
		lines = 100
	}
	if *sweep {
		lines = 100_000
	}
	if text := os.Getenv(lineVariable); text != "" {
		var err error
		if first, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		lines = 1
	}
	t.Setenv("TMPDIR", t.TempDir())
	var commands []*cobra.Command
	for _, c := range clitest.Root().Commands() {
		if !c.Hidden {
			commands = append(commands, c)
		}
	}
	codes, failures := map[int]int{}, 0
	for n := first; n < first+lines && failures < 20; n++ {
		if (n-first)%1000 == 0 { // lines append to files, which slows down reading
			t.Chdir(t.TempDir())
			fixtures(t)
		}
		args := lineWriter{rand.New(rand.NewPCG(uint64(n), 0))}.line(commands)
		code, wrong := tryLine(t, args)
		if codes[code]++; (n-first)%5000 == 4999 {
			t.Logf("%d lines, exit codes %v", n-first+1, codes)
		}
		if wrong != "" {
			failures++
			t.Errorf("%s=%d: poolbench %q: %s", lineVariable, n, args, wrong)
		}
	}
	if lines > 1 && (codes[clitest.Fine] < lines/20 || codes[clitest.Unusable] < lines/20) {
		t.Errorf("exit codes %v: the lines are too much of a kind", codes)
	}
	t.Logf("%d lines, exit codes %v", lines, codes)
}

func tryLine(t *testing.T, args []string) (code int, wrong string) {
	var stdout, stderr strings.Builder
	patience := 60 * time.Second // for a busy machine; a line takes at most some seconds
	if args[0] == "serve" {
		patience = 20 * time.Millisecond // the server runs until SIGINT
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	func() {
		defer func() {
			if p := recover(); p != nil {
				wrong = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		code = cli.Run(ctx, args, strings.NewReader("BenchmarkA 1 5 ns/op\n"), &stdout, &stderr)
	}()
	said := stderr.String()
	told := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	switch {
	case wrong != "":
	case args[0] != "serve" && ctx.Err() != nil:
		wrong = "it does not end"
	case !slices.Contains([]int{clitest.Interrupted, clitest.Unusable, clitest.Regression,
		clitest.Undecided, clitest.Fine}, code):
		wrong = fmt.Sprintf("exit code %d", code)
	case code == clitest.Unusable && !strings.HasPrefix(said, "poolbench: ") &&
		!strings.Contains(stdout.String(), "cannot decide") && args[0] != "gate":
		wrong = fmt.Sprintf("exit code 2 and nothing said: %q", said)
	case code == clitest.Unusable && len(told) > 2*terminal.MaxLines:
		wrong = fmt.Sprintf("%d lines of complaints", len(told))
	case rawIn(stdout.String()) != "":
		wrong = fmt.Sprintf("stdout has %q", rawIn(stdout.String()))
	case rawIn(said) != "":
		wrong = fmt.Sprintf("stderr has %q", rawIn(said))
	}
	for _, word := range goWords {
		if wrong == "" && code == clitest.Unusable && strings.Contains(said, word) &&
			!strings.Contains(strings.Join(args, " "), word) {
			wrong = fmt.Sprintf("it says %q: %s", word, said)
		}
	}
	return code, wrong
}

func fixtures(t *testing.T) {
	t.Helper()
	clitest.Succeed(t, clitest.Quick("--out", "run")...)
	clitest.Write(t, "good.txt",
		strings.Repeat("BenchmarkA/k=1 1 5 ns/op 3 B/op\nBenchmarkB/k=2 1 6 ns/op\n", 6))
	clitest.Write(t, "other.txt",
		strings.Repeat("BenchmarkA/k=1 1 7 ns/op 3 B/op\nBenchmarkC 1 6 ns/op\n", 6))
	clitest.Write(t, "scenarios.yaml", "- strategy: semaphore\n  n: 500\n  clock: virtual\n")
	clitest.Write(t, "trace.csv", "10ms\n20ms\n")
	clitest.Write(t, "noise", "\x00\x1b[31m\xff\xfe\n- [")
	clitest.Write(t, "empty", "")
}

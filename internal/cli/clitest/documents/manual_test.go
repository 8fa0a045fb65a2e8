package documents

import (
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
)

var measures = regexp.MustCompile(`--quiet| before | after `)

// TestManual runs the lines of the package comment that begin with $, in order and in one
// directory. With -short it skips lines that measure.
func TestManual(t *testing.T) {
	if race.Enabled {
		t.Skip("its commands are run without the race detector; the tests of each command run " +
			"under it")
	}
	f, err := parser.ParseFile(token.NewFileSet(), "../../../../cmd/poolbench/doc.go", nil,
		parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	clitest.Write(t, "scenarios.yaml", manualFile)
	commands := 0
	for _, block := range new(comment.Parser).Parse(f.Doc.Text()).Content {
		code, ok := block.(*comment.Code)
		if !ok {
			continue
		}
		for _, step := range regexp.MustCompile(`(?m)^\$ `).Split(code.Text, -1)[1:] {
			line, want, _ := strings.Cut(step, "\n")
			commands++
			if testing.Short() && measures.MatchString(line) {
				continue
			}
			manualLine(t, line, want)
		}
	}
	if commands < 9 {
		t.Errorf("only %d commands in the manual", commands)
	}
}

const manualFile = `- strategy: [worker_pool, semaphore]
  workload: hyperexp:mean=10ms,c2=16
  load: [0.5, 0.8]
  clock: virtual
- strategy: all
  arrival: bulk:n=50
  deadline: 100ms
  n: 5000
  clock: virtual
`

func manualLine(t *testing.T, line, want string) {
	t.Helper()
	line, comment, _ := strings.Cut(line, " # exit code ")
	code := 0
	if comment != "" {
		var err error
		if code, err = strconv.Atoi(comment); err != nil {
			t.Fatal(err)
		}
	}
	var got clitest.Outcome
	switch words := clitest.ShellWords(line); words[0] {
	case "poolbench":
		got = clitest.Command(t, words[1:]...)
	case "cat":
		got.Stdout = clitest.Read(t, words[1])
	default:
		t.Fatalf("no such command: %s", line)
	}
	if got.Code != code {
		t.Errorf("$ %s\nexit code %d\n%s%s", line, got.Code, got.Stdout, got.Stderr)
	}
	if !shows(got.Stdout, want) {
		t.Errorf("$ %s\nprints\n%s\nthe manual says\n%s", line, got.Stdout, want)
	}
}

// … in text matches anything.
func shows(output, text string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(text))
	pattern = strings.ReplaceAll(pattern, "…", "(?s:.*)")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(strings.TrimSpace(output))
}

// TestExamples runs the examples of the help unchanged, except that run and study get --dry-run and
// worker gets a server.
func TestExamples(t *testing.T) {
	source := sources(t)
	t.Chdir(t.TempDir())
	clitest.Write(t, "scenarios.yaml", manualFile)
	results := strings.Repeat("BenchmarkA 1 0.05 p99-response-sec 20 ops/s\n", 10)
	clitest.Write(t, "old.txt", "Unit p99-response-sec better=lower\n"+results)
	clitest.Write(t, "new.txt", results)
	if err := os.Mkdir("results", 0o777); err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		clitest.Write(t, fmt.Sprintf("results/%02d.txt", n), results)
	}
	clitest.Write(t, "requests.csv", "time,took,kind\n"+strings.ReplaceAll(
		clitest.PlayedTasks(t, "poisson", 0.5, 700), "\n", ",get\n"))
	clitest.Write(t, "requests.jsonl", `{"timestamp":"2026-05-01T09:00:00Z","latency":80000000}
{"timestamp":"2026-05-01T09:00:00.2Z","latency":120000000}
`)
	clitest.Write(t, "nginx.log", "h 1777626000.250 rt=0.120\nh 1777626000.750 rt=0.080\n")
	clitest.Write(t, "access.log", `h - - [01/May/2026:09:00:00 +0000] "G" 200 5 "-" "c" 0.120
h - - [01/May/2026:09:00:04 +0000] "G" 200 5 "-" "c" 0.9
`)
	clitest.Succeed(t, clitest.Quick("--count", "10", "--strategy", "worker_pool", "--out", "x")...)
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer target.Close()
	for _, out := range []string{"from-host-a", "from-host-b"} {
		clitest.Attacked(t, "attack", target.URL, "--n", "20", "--name", "shop", "--out", out, "--quiet")
	}
	for _, out := range []string{"before", "after", "main", "branch", "latest"} {
		if err := os.CopyFS("poolbench-out/"+out, os.DirFS("x")); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Write(t, "users.csv", "user\nann\n")
	clitest.Write(t, "shop.yaml", "steps: [{url: /}]\n")
	nats, err := hub.StartLocal()
	if err != nil {
		t.Fatal(err)
	}
	defer nats.Close()
	addresses := strings.NewReplacer("nats://127.0.0.1:4222", nats.Address,
		"--listen 127.0.0.1:4222", "--listen 127.0.0.1:0")
	asPasted := !testing.Short()
	for _, c := range append(clitest.Root().Commands(), clitest.Root()) {
		for example := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", "")) {
			args := clitest.ShellWords(addresses.Replace(example))[1:]
			if needs := serverOfCrash(t, args); needs != nil && needs.Missing() != nil {
				t.Run(args[1], func(t *testing.T) { need.Skip(t, needs.Missing()) })
				continue
			}
			if slices.Contains(args, "--base") || slices.Contains(args, "--bisect") {
				continue // needs revisions of a repository, see TestGateRevisions
			}
			if args[0] == "attack" || args[0] == "gateway" || args[0] == "capacity" ||
				args[0] == "calibrate" || args[0] == "run" || args[0] == "study" {
				args = append(args, "--dry-run")
			}
			if args[0] == "new" {
				args = append(args, "--source", source)
			}
			if args[0] == "worker" { // a worker waits for work
				args = append(args, "--idle", "10ms")
			}
			if args[0] == "crash" && !asPasted {
				continue // TestCrash runs a smaller one
			}
			if args[0] == "advise" && !asPasted {
				continue // takes seconds of computation; TestAdvise runs a similar one
			}
			environment := os.Environ()
			o := clitest.Command(t, args...)
			if left := os.Environ(); args[0] == "crash" && !slices.Equal(left, environment) {
				t.Errorf("%s: the environment has the address of a server that is gone", example)
			}
			if o.Code != clitest.Fine && (args[0] != "gate" && args[0] != "merge" ||
				o.Code != clitest.Undecided) {
				t.Errorf("%s: exit code %d\n%s", example, o.Code, o.Stderr)
			}
		}
	}
}

func serverOfCrash(t *testing.T, args []string) *servers.Kind {
	t.Helper()
	if args[0] != "crash" {
		return nil
	}
	v, err := strategies.Parse(args[1])
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(servers.Kinds(), func(k servers.Kind) bool {
		return k.Product == v.Spec.Needs
	})
	if i < 0 || v.Spec.Ready() == nil {
		return nil
	}
	return &servers.Kinds()[i]
}

// Help must have at most 60 lines of 80 columns. In the root command's help, lines about other
// commands do not count.
func TestHelp(t *testing.T) {
	for _, c := range append(clitest.Root().Commands(), clitest.Root()) {
		path := strings.Fields(c.CommandPath())[1:]
		short := clitest.Succeed(t, append(path, "--help")...).Stdout
		most := 60
		if !c.HasParent() {
			most = 40
			for _, command := range c.Commands() {
				if command.IsAvailableCommand() {
					most++
				}
			}
		}
		if n := strings.Count(short, "\n"); n > most {
			t.Errorf("%s --help has %d lines", c.CommandPath(), n)
		}
		text := short
		if len(path) > 0 {
			text = clitest.Succeed(t, append([]string{"help", "--all"}, path...)...).Stdout
		}
		for _, flag := range flags.Known(c) {
			if !strings.Contains(text, flag) {
				t.Errorf("%s --help says nothing of %s", c.CommandPath(), flag)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			takes, _ := pflag.UnquoteUsage(f)
			if takes != strings.ToUpper(takes) && takes != "shed|drop" {
				t.Errorf("%s --%s takes %q", c.CommandPath(), f.Name, takes)
			}
		})
		for line := range strings.Lines(short + text) {
			if n := len([]rune(line)); n > 81 {
				t.Errorf("%s --help: %d characters in %q", c.CommandPath(), n, line)
			}
		}
		if !strings.Contains(short, "Usage:\n  poolbench") ||
			!strings.Contains(text, "Usage:\n  poolbench") || strings.Contains(text, "capacityof") {
			t.Errorf("%s --help: %s", c.CommandPath(), text)
		}
	}
}

func TestRootHelp(t *testing.T) {
	const golden = "testdata/help.txt"
	got := clitest.Succeed(t).Stdout
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(clitest.Read(t, golden), got); diff != "" {
		t.Error(diff)
	}
}

func TestBuiltCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("a link")
	}
	out, err := exec.Command("go", "run", "../../../../cmd/poolbench", "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "poolbench ") {
		t.Errorf("%q, %v", out, err)
	}
}

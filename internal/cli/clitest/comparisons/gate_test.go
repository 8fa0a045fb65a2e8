package comparisons

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/project/need"
)

// gateModule creates a git repository and makes it the current directory. Its benchmark reports
// 1000 ns at HEAD and ns in the working tree, on any machine.
func gateModule(t *testing.T, ns string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		need.Skip(t, "there is no git here")
	}
	const source = "package m\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {\n\tfor " +
		"b.Loop() {\n\t}\n\tb.ReportMetric(NS+2, \"ns/op\")\n}\n"
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(clitest.Steadily, "1")
	clitest.Write(t, "go.mod", "module example.org/m\n\ngo 1.24\n")
	clitest.Write(t, "m_test.go", strings.Replace(source, "NS", "1000", 1))
	for _, args := range []string{"init --quiet", "add --all",
		"-c user.name=a -c user.email=a commit --quiet --message a"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	clitest.Write(t, "m_test.go", strings.Replace(source, "NS", ns, 1))
}

func noTrees(t *testing.T) {
	t.Helper()
	list, err := exec.Command("git", "worktree", "list").CombinedOutput()
	if err != nil || strings.Count(string(list), "\n") != 1 {
		t.Errorf("worktrees: %s, %v", list, err)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "poolbench-gate-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestGateRevisions(t *testing.T) {
	gateModule(t, "1300")
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	clitest.Write(t, "summary.md", "what was there\n")
	o := clitest.Command(t, "gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--pairs",
		"9", "--junit", "gate.xml", "--out", "x")
	noTrees(t)
	if o.Code != clitest.Regression ||
		!strings.Contains(o.Stdout, "\ngate: worse: ") ||
		!strings.HasSuffix(o.Stdout, "\nEvery pair: x/report.html\n") ||
		!strings.Contains(o.Stderr, "36 of 36 runs\n") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	for file, want := range map[string][]string{
		"summary.md":    {"what was there\n", "### gate: worse"},
		"gate.xml":      {"<testsuites>", `failures="1"`},
		"x/report.html": {"gate: worse", "m.BenchmarkA", "Every pair", "<svg"},
		"x/old.txt":     {"BenchmarkA", "# complete 15 runs"},
		"x/new.txt":     {"BenchmarkA", "# complete 15 runs"},
		"x/plan.json":   {"poolbench gate plan"},
	} {
		text := clitest.Read(t, file)
		for _, w := range want {
			if w = strings.ReplaceAll(w, "m.Benchmark", ""); !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%.2000s", file, w, text)
			}
		}
	}
	// A second gate must not overwrite the results.
	if o := clitest.Command(t, "gate", "x/old.txt", "x/new.txt"); o.Code != clitest.Regression {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	again := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts",
		"1", "--out", "x"}
	if o := clitest.Command(t, again...); o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "--force replaces it, --resume continues") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	clitest.Write(t, "m_test.go", strings.Replace(clitest.Read(t, "m_test.go"), "1300", "1000", 1))
	if o := clitest.Command(t, append(again, "--pairs", "12",
		"--resume")...); o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr,
			"x belongs to another gate, which can only be replaced: the head is a different one") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if testing.Short() {
		return // TestGate measures again
	}
	if o := clitest.Command(t, append(again, "--pairs", "12",
		"--force")...); o.Code != clitest.Fine ||
		strings.Contains(clitest.Read(t, "x/report.html"), "gate: worse") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
}

func TestGateUnmatched(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	gateModule(t, "1000")
	clitest.Write(t, "more_test.go",
		"package m\n\nimport \"testing\"\n\nfunc BenchmarkMore(*testing.B) {}\n")
	o := clitest.Command(t, "gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1",
		"--quiet", "--format", "json", "--fail-on", "removed")
	if o.Code != clitest.Fine || !strings.Contains(o.Stdout, `"outcome": "gate: pass"`) ||
		!strings.Contains(o.Stdout, "\"added\": [\n    \"example.org/m.BenchmarkMore\"\n  ]") ||
		o.Stderr != "" {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	noTrees(t)
}

func TestGateHopeless(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	gateModule(t, "1300")
	t.Setenv(clitest.Steadily, clitest.Wild)
	o := clitest.Command(t, "gate", "--base", "HEAD", "--junit", "gate.xml", "--out", "x", "--quiet")
	const why = "the machine is too busy: "
	if o.Code != clitest.Undecided || !strings.Contains(o.Stdout, "\nunclear: "+why) ||
		!strings.HasSuffix(o.Stdout, "\ngate: inconclusive\n") || o.Stderr != "" {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if text := clitest.Read(t, "gate.xml"); !strings.Contains(text, why) {
		t.Errorf("gate.xml: %s", text)
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("there is a directory of results")
	}
	noTrees(t)
}

func TestGateBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	gateModule(t, "1000")
	args := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--out", "x",
		"--junit", "x/gate.xml", "--quiet"}
	if o := clitest.Command(t, append(args, "--metric", "nope")...); o.Code != clitest.Unusable ||
		o.Stderr != "poolbench: gate: no benchmark reports nope\n" ||
		!strings.Contains(clitest.Read(t, "x/gate.xml"), "nope") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if o := clitest.Command(t, append(args, "--force")...); o.Code != clitest.Fine ||
		!strings.Contains(clitest.Read(t, "x/gate.xml"), `errors="0"`) || clitest.Read(t,
		"x/plan.json") == "" {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
}

func TestGateElsewhere(t *testing.T) {
	gateModule(t, "1300")
	for _, c := range []struct{ flag, value, summary, want string }{
		{"--junit", "nowhere/gate.xml", "",
			"--junit: nowhere/gate.xml: there is no directory nowhere"},
		{"--junit", ".", "", "--junit: .: is a directory"},
		{"--skip", "x", "nowhere/summary.md",
			"$GITHUB_STEP_SUMMARY: nowhere/summary.md: no such file or directory"},
	} {
		t.Setenv("GITHUB_STEP_SUMMARY", c.summary)
		o := clitest.Command(t, "gate", "--base", "HEAD", "--out", "x", c.flag, c.value)
		if o.Code != clitest.Unusable || o.Stderr != "poolbench: "+c.want+"\n" {
			t.Errorf("exit code %d, %s", o.Code, o.Stderr)
		}
	}
}

func TestGateWithoutVerdict(t *testing.T) {
	gateModule(t, "1000")
	clitest.Write(t, "good", strings.Repeat("BenchmarkA 1 5 ns/op\n", 10))
	clitest.Write(t, "bad", "BenchmarkA 1 NaN ns/op\n")
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"good", "bad"}, "bad:1: sec/op of A is NaN"},
		{[]string{"good", "nowhere"}, "nowhere: no such file"},
		{[]string{"--base", "nowhere", "--out", "x"}, "git finds no revision"},
	} {
		clitest.Write(t, "gate.xml", "all is well")
		o := clitest.Command(t, append([]string{"gate", "--junit", "gate.xml"}, c.args...)...)
		text, err := os.ReadFile("gate.xml")
		if err != nil || o.Code != clitest.Unusable || !strings.Contains(string(text),
			`errors="1"`) ||
			!strings.Contains(string(text), c.why) || !strings.Contains(o.Stderr, c.why) {
			t.Errorf("%q: exit code %d, %s\n%s, %v", c.args, o.Code, o.Stderr, text, err)
		}
	}
}

func TestControl(t *testing.T) {
	for _, slower := range []string{"--slower=false", "--slower=true"} {
		o := clitest.Succeed(t, "control", slower, "3x")
		if !strings.HasPrefix(o.Stdout, "BenchmarkControl\t3\t") ||
			!strings.HasSuffix(o.Stdout, " ns/op\n") || o.Stderr != "" {
			t.Errorf("%q, %q", o.Stdout, o.Stderr)
		}
	}
	if o := clitest.Command(t, "control", "soon"); o.Code != clitest.Unusable {
		t.Errorf("exit code %d", o.Code)
	}
}

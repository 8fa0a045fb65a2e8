package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/house/check"
)

// gateModule is a git repository with a module whose benchmark takes 1000 ns at HEAD and that many
// in the working tree, whatever the machine does. It is the current directory.
func gateModule(t *testing.T, ns string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	const source = "package m\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {\n\tfor " +
		"b.Loop() {\n\t}\n\tb.ReportMetric(NS+2, \"ns/op\")\n}\n"
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(steadily, "1")
	write(t, "go.mod", "module example.org/m\n\ngo 1.24\n")
	write(t, "m_test.go", strings.Replace(source, "NS", "1000", 1))
	for _, args := range []string{"init --quiet", "add --all",
		"-c user.name=a -c user.email=a commit --quiet --message a"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write(t, "m_test.go", strings.Replace(source, "NS", ns, 1))
}

// noTrees makes sure that no worktree and no temporary directory is left.
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

// TestGateRevisions: a known regression fails, in every form that the report has.
func TestGateRevisions(t *testing.T) {
	gateModule(t, "1300")
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	write(t, "summary.md", "what was there\n")
	o := command(t, "gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--pairs",
		"9", "--junit", "gate.xml", "--out", "x")
	noTrees(t)
	if o.code != regression ||
		!strings.HasSuffix(o.stdout, "\ngate: worse\nEvery pair: x/report.html\n") ||
		!strings.Contains(o.stderr, "36 of 36 runs\n") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for file, want := range map[string][]string{
		"summary.md":    {"what was there\n", "### gate: worse"},
		"gate.xml":      {"<testsuites>", `failures="1"`},
		"x/report.html": {"gate: worse", "m.BenchmarkA", "Every pair", "<svg"},
		"x/old.txt":     {"BenchmarkA", "# complete 15 runs"},
		"x/new.txt":     {"BenchmarkA", "# complete 15 runs"},
		"x/plan.json":   {"poolbench gate plan"},
	} {
		text := read(t, file)
		for _, w := range want {
			if w = strings.ReplaceAll(w, "m.Benchmark", ""); !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%.2000s", file, w, text)
			}
		}
	}
	// What is there can be judged again, as any results, and no second gate writes over it.
	if o := command(t, "gate", "x/old.txt", "x/new.txt"); o.code != regression {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	again := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts",
		"1", "--out", "x"}
	if o := command(t, again...); o.code != unusable ||
		!strings.Contains(o.stderr, "--force measures anew, --resume goes on") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	write(t, "m_test.go", strings.Replace(read(t, "m_test.go"), "1300", "1000", 1))
	if o := command(t, append(again, "--pairs", "12", "--resume")...); o.code != unusable ||
		!strings.Contains(o.stderr,
			"x is of another gate, which can only be replaced: the head is another") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := command(t, append(again, "--pairs", "12", "--force")...); o.code != fine ||
		strings.Contains(read(t, "x/report.html"), "gate: worse") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestGateUnfit: benchmarks that cannot be compared, and how to leave them out.
func TestGateUnfit(t *testing.T) {
	check.Only(t)
	gateModule(t, "1000")
	write(t, "more_test.go",
		"package m\n\nimport \"testing\"\n\nfunc BenchmarkMore(*testing.B) {}\n")
	args := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--quiet",
		"--format", "json"}
	o := command(t, args...)
	const want = "poolbench: gate: example.org/m.BenchmarkMore is only in the head: there is " +
		"nothing to measure it against\npoolbench: gate: --skip REGEXP leaves benchmarks out\n"
	if o.code != unusable || o.stdout != "" || o.stderr != want {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := command(t, append(args, "--skip", "More")...); o.code != fine ||
		!strings.Contains(o.stdout, `"outcome": "gate: pass"`) || o.stderr != "" {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	noTrees(t)
}

// TestGateHopeless: a machine that is too busy ends a gate with 3 and the reason, in every form
// that the report has.
func TestGateHopeless(t *testing.T) {
	gateModule(t, "1300")
	t.Setenv(steadily, wild)
	o := command(t, "gate", "--base", "HEAD", "--junit", "gate.xml", "--out", "x", "--quiet")
	const why = "the machine is too busy: "
	if o.code != undecided || !strings.Contains(o.stdout, "\nunclear: "+why) ||
		!strings.HasSuffix(o.stdout, "\ngate: inconclusive\n") || o.stderr != "" {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if text := read(t, "gate.xml"); !strings.Contains(text, why) {
		t.Errorf("gate.xml: %s", text)
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("there is a directory of results")
	}
	noTrees(t)
}

// TestGateBeside: the file for other systems may be in the directory of the results, also of a gate
// that failed, and of the one after it.
func TestGateBeside(t *testing.T) {
	check.Only(t)
	gateModule(t, "1000")
	args := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--out", "x",
		"--junit", "x/gate.xml", "--quiet"}
	if o := command(t, append(args, "--metric", "nope")...); o.code != unusable ||
		o.stderr != "poolbench: gate: no benchmark reports nope\n" ||
		!strings.Contains(read(t, "x/gate.xml"), "nope") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := command(t, append(args, "--force")...); o.code != fine ||
		!strings.Contains(read(t, "x/gate.xml"), `errors="0"`) || read(t, "x/plan.json") == "" {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestGateElsewhere: what cannot be written is said before anything is done.
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
		o := command(t, "gate", "--base", "HEAD", "--out", "x", c.flag, c.value)
		if o.code != unusable || o.stderr != "poolbench: "+c.want+"\n" {
			t.Errorf("exit code %d, %s", o.code, o.stderr)
		}
	}
}

// TestGateWithoutVerdict: a gate that cannot judge leaves no report of the one before it, and says
// why in the new one.
func TestGateWithoutVerdict(t *testing.T) {
	gateModule(t, "1000")
	write(t, "good", strings.Repeat("BenchmarkA 1 5 ns/op\n", 10))
	write(t, "bad", "BenchmarkA 1 NaN ns/op\n")
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"good", "bad"}, "bad:1: sec/op of A is NaN"},
		{[]string{"good", "nowhere"}, "nowhere: no such file"},
		{[]string{"--base", "nowhere", "--out", "x"}, "git knows no revision"},
	} {
		write(t, "gate.xml", "all is well")
		o := command(t, append([]string{"gate", "--junit", "gate.xml"}, c.args...)...)
		text, err := os.ReadFile("gate.xml")
		if err != nil || o.code != unusable || !strings.Contains(string(text), `errors="1"`) ||
			!strings.Contains(string(text), c.why) || !strings.Contains(o.stderr, c.why) {
			t.Errorf("%q: exit code %d, %s\n%s, %v", c.args, o.code, o.stderr, text, err)
		}
	}
}

// TestControl: a result line as package testing prints it, of as many iterations as asked for.
func TestControl(t *testing.T) {
	for _, slower := range []string{"--slower=false", "--slower=true"} {
		o := succeed(t, "control", slower, "3x")
		if !strings.HasPrefix(o.stdout, "BenchmarkControl\t3\t") ||
			!strings.HasSuffix(o.stdout, " ns/op\n") || o.stderr != "" {
			t.Errorf("%q, %q", o.stdout, o.stderr)
		}
	}
	if o := command(t, "control", "soon"); o.code != unusable {
		t.Errorf("exit code %d", o.code)
	}
}

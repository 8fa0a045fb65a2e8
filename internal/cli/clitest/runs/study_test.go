package runs

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/results"
)

func TestStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Succeed(t, "study", "throttle", "--quick", "--quiet", "--out", "x", "--expect",
		"depends").Stdout
	const because = "on the arrivals: it holds "
	const advice = "limit the rate: the effect of a bound on workers depends on how calls arrive"
	printed := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"refusing calls” DEPENDS " + because, " Next: " + advice + " ",
		" arrivals throttled, no bound 4 workers throttling avoided claim met Poisson at 200/s ",
		" (a to b): 95 % confidence interval "} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	text := clitest.Read(t, "x/results.txt")
	for _, want := range []string{"\n# study throttle: does a limit",
		"\n# claim a bounded pool keeps", "\n# verdict depends: " + because,
		"\n# advice " + advice + "\n",
		"\n# row arrivals | throttled, no bound | 4 workers | throttling avoided | claim met\n",
		"\n# row Poisson at 380/s | "} {
		if !strings.Contains(text, want) {
			t.Errorf("results.txt does not say %q", want)
		}
	}
	read, err := results.ReadFile("x")
	if err != nil {
		t.Fatal(err)
	}
	if table := read.Findings[0].Table; table == nil || len(table.Heads) != 5 ||
		len(table.Rows) != 6 || len(table.Rows[5]) != 5 {
		t.Errorf("the table is read as %+v", table)
	}
	for _, want := range []string{advice, because} {
		if !strings.Contains(clitest.Read(t, "x/report.html"), want) {
			t.Errorf("report.html does not say %q", want)
		}
	}
	if testing.Short() {
		return // a study takes seconds
	}
	got := clitest.Command(t, "study", "throttle", "--quick", "--quiet", "--out", "y", "--expect", "holds",
		"--format", "json", "--seed", "5")
	var doc show.Document
	if err := json.Unmarshal([]byte(got.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if got.Code != clitest.Regression || len(doc.Findings) != 1 ||
		doc.Findings[0].Verdict != "depends" ||
		doc.Findings[0].Study != "throttle" {
		t.Errorf("exit code %d, findings %+v", got.Code, doc.Findings)
	}
	if text := clitest.Read(t, "y/results.txt"); !strings.Contains(text, "# seed 5\n") ||
		strings.Contains(text, "# seed 1\n") {
		t.Error("results.txt is not of seed 5")
	}
}

// By default, all studies run at their quick size, except those with Apart set. A named study is
// larger. A study that accepts any strategy must accept an added one.
func TestStudySizes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	out := clitest.Succeed(t, "run", "--dry-run").Stdout
	quick := []string{"study", "--quick", "--dry-run"}
	for _, s := range studies.All() {
		if strings.Contains(out, "# "+s.Name+": ") == s.Apart {
			t.Errorf("study %s is in the default run: %v, and Apart is %v; if there is no time "+
				"left for its Budget, set Apart", s.Name, s.Apart, s.Apart)
		}
		if !s.Apart {
			quick = append(quick, s.Name)
		}
		alone := clitest.Succeed(t, "study", s.Name, "--dry-run").Stdout
		if titles := slices.Collect(strings.Lines(alone)); !strings.HasPrefix(titles[0],
			"# "+s.Name+": ") {
			t.Errorf("study %s --dry-run begins with %q", s.Name, titles[0])
		}
	}
	if out != clitest.Succeed(t, quick...).Stdout {
		t.Errorf("poolbench %s is not the default run", strings.Join(quick, " "))
	}
	every := clitest.Succeed(t, "study", "all", "--quick", "--dry-run").Stdout
	for _, s := range studies.All() {
		if !strings.Contains(every, "# "+s.Name+": ") {
			t.Errorf("study all --quick is without %s", s.Name)
		}
	}
	with := clitest.Succeed(t, "study", "load", "--strategy", "codel_lifo,ants", "--dry-run").Stdout
	if strings.Count(with, "strategy=codel_lifo/") != 6 ||
		strings.Count(with, "strategy=ants/") != 6 {
		t.Errorf("study load --strategy codel_lifo,ants runs\n%s", with)
	}
}

// A study must report INVALID runs and decide without them. If it cannot, it must report this.
func TestStudyWithoutBelief(t *testing.T) {
	t.Chdir(t.TempDir())
	for out, c := range map[string]struct {
		args []string
		code int
	}{"a": {nil, clitest.Fine}, "b": {[]string{"--expect", "holds"}, clitest.Undecided}} {
		drive := func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
			r := &bench.Result{Name: s.Name(), Seed: s.Seed, Tasks: 1}
			r.Doubt(result.Invalid, "pause", "the process stalled")
			r.Metrics = []result.Metric{{Unit: "ops/s", Value: 1},
				{Unit: "verdict", Value: float64(result.Invalid)}}
			return r, nil
		}
		o := clitest.Driven(t, drive,
			append([]string{"study", "real_waits", "--quick", "--out", out}, c.args...)...)
		if o.Code != c.code || !strings.Contains(o.Stdout, "  UNDECIDED: ") ||
			!strings.Contains(o.Stderr, "is INVALID: pause") {
			t.Errorf("%v: exit code %d, want %d\n%s%s", c.args, o.Code, c.code,
				o.Stdout, o.Stderr)
		}
	}
}

// The parameters of this strategy require a limit of 5, so a study with a limit of 4 must refuse
// it.
func TestForeignLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Succeed(t, "run", "--clock", "virtual", "--strategy", "segregated:short=2,long=3", "--limit",
		"5", "--workload", "bimodal", "--load", "0.5", "--n", "2000", "--out", "x", "--quiet")
	clitest.Succeed(t, "report", "x")
	got := clitest.Command(t, "study", "load", "--strategy", "segregated:short=2,long=3", "--out", "y")
	const want = "poolbench: study load: strategy segregated: short=2 and long=3 do not add up " +
		"to the limit of 4\n"
	if _, err := os.Stat("y"); got.Code != clitest.Unusable || got.Stderr != want || err == nil {
		t.Errorf("exit code %d, %q, want %d, %q and no directory (%v)", got.Code, got.Stderr,
			clitest.Unusable, want, err)
	}
}

func TestStudySeed(t *testing.T) {
	p, err := options.MakePlan(options.Words{"seed": {{Text: "7", Where: "--seed"}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p {
		if s.Study == nil || s.Suite.Scenarios[0].Seed != 7 {
			t.Errorf("%s begins with seed %d", s.Title, s.Suite.Scenarios[0].Seed)
		}
	}
	if got := clitest.Command(t, "study", "throttle", "--seed",
		"-1"); got.Code != clitest.Unusable {
		t.Errorf("--seed -1: exit code %d", got.Code)
	}
}

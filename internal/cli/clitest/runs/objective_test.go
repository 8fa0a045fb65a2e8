package runs

import (
	"encoding/json"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/text"
)

// A missed objective (exit code 1) takes precedence over an undecided one (3).
func TestObjectives(t *testing.T) {
	for _, c := range []struct {
		objective string
		code      int
		want      []string
	}{
		{"p99-response<10s", clitest.Fine, []string{"objectives: 1 met\n", "  met: p99-response<10s: "}},
		{"p99-response<1ms", clitest.Regression,
			[]string{"objectives: 1 missed\n", "  missed: p99-response<1ms: "}},
		{"short-mean-response<10s", clitest.Undecided,
			[]string{"objectives: 1 undecided\n",
				"  undecided: short-mean-response<10s: the run has no such value\n"}},
		{"shed<=0%,short-mean-response<1ms,mean-response<1us", clitest.Regression,
			[]string{"objectives: 1 met, 1 missed, 1 undecided\n"}},
	} {
		t.Run(c.objective, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := clitest.Command(t, clitest.Quick("--count", "3", "--objective", c.objective)...)
			if o.Code != c.code || o.Stderr != "" {
				t.Errorf("exit code %d, want %d\n%s", o.Code, c.code, o.Stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(o.Stdout, want) {
					t.Errorf("no %q in\n%s", want, o.Stdout)
				}
			}
		})
	}
}

func TestObjectivesOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	words := map[string]string{"p99-response<=60ms": "p99 response ≤ 60 ms",
		"mean-wait<2ms": "mean wait < 2 ms", "shed<=0%": "shed ≤ 0 %",
		"goodput>300":             "goodput > 300 /s",
		"short-mean-response<10s": "short mean response < 10 s"}
	args := clitest.Quick("--strategy", "worker_pool,serial,bounded_queue_shed", "--load", "0.2,0.8",
		"--n", "500", "--count", "4", "--format", "json", "--out", "x")
	for objective := range words {
		args = append(args, "--objective", objective)
	}
	var doc show.Document
	if o := clitest.Command(t, args...); json.Unmarshal([]byte(o.Stdout), &doc) != nil {
		t.Fatal(o)
	}
	counts := map[string]map[string]int{}
	for _, v := range doc.Objectives {
		if counts[v.Objective] == nil {
			counts[v.Objective] = map[string]int{}
		}
		counts[v.Objective][v.Verdict]++
	}
	page, err := os.ReadFile("x/report.html")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for objective, s := range words {
		tally := text.Tally(counts[objective], "met", "missed", "undecided")
		kinds[strings.TrimLeft(tally, "0123456789 ")] = true
		s = html.EscapeString(s)
		if !strings.Contains(string(page), s+": "+tally+"<") {
			t.Errorf("no badge %q: %q", s, tally)
		}
		if !strings.Contains(string(page), ">"+s+"\n") &&
			!strings.Contains(string(page), ">"+s+"<") {
			t.Errorf("no column %q", s)
		}
	}
	if len(kinds) < 3 {
		t.Errorf("the verdicts are all alike: %v", counts)
	}
}

func TestFewObjectives(t *testing.T) {
	t.Chdir(t.TempDir())
	o := clitest.Command(t, clitest.Quick("--strategy", "worker_pool,serial", "--load",
		"0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.5", "--n", "400", "--objective", "mean-wait<100ms")...)
	if o.Code != clitest.Regression || !strings.Contains(o.Stdout, " met, ") ||
		strings.Contains(o.Stdout, "\n  met: ") ||
		!strings.Contains(o.Stdout, "\n  missed: mean-wait<100ms, ") {
		t.Errorf("exit code %d\n%s", o.Code, o.Stdout)
	}
}

func TestObjectivesJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	o := clitest.Command(t, clitest.Quick("--count", "2", "--format", "json", "--objective", "p99-response<1ms",
		"--objective", "short-mean-response<1s")...)
	var doc show.Document
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if o.Code != clitest.Regression || len(doc.Objectives) != 2 {
		t.Fatalf("exit code %d, %+v", o.Code, doc.Objectives)
	}
	missed, undecided := doc.Objectives[0], doc.Objectives[1]
	if missed.Name != doc.Runs[0].Name || missed.Unit != "p99-response-sec" ||
		missed.Bound != 0.001 || missed.Value == nil || missed.Runs != 2 ||
		missed.Reason == "" || missed.Verdict != "missed" {
		t.Errorf("%+v", missed)
	}
	if undecided.Value != nil || undecided.Verdict != "undecided" {
		t.Errorf("%+v", undecided)
	}
}

func TestUndecidable(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"run --n 1000 --objective p99.9-response<1s":                          "objective p99.9-response<1s: p99.9-response-sec needs 3688 tasks after the warm-up, and n 1000 has too few: give n ",
		"run --n 300 --objective p99-wait<1s":                                 "and n 300 has too few: give n 408\n",
		"capacity --n 400 --warmup 10% --objective p99-response<50ms,shed<1%": "p99-response-sec needs 368 tasks after the warm-up, and n 400 has too few: give n 408\n",
		"capacity --rate-range 1,1000 --duration 2s --objective p99-response<50ms": "and " +
			"duration 2s, with about 2 tasks, has too few: give n 408\n",
	} {
		for _, also := range []string{"", " --dry-run"} {
			o := clitest.Command(t, strings.Fields(line+" --clock virtual --strategy worker_pool --out x"+
				also)...)
			if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
				strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%s%s: exit code %d\n%s", line, also, o.Code, o.Stderr)
			}
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("there is a directory")
	}
}

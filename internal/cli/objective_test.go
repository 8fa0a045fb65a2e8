package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestObjectives: a scenario that misses an objective is exit code 1, one that cannot tell is 3,
// and 1 comes before 3; each verdict is below the tables with the value that they show.
func TestObjectives(t *testing.T) {
	for _, c := range []struct {
		objective string
		code      int
		want      []string
	}{
		{"p99-response<10s", fine, []string{"objectives: 1 met\n", "  met  p99-response<10s  "}},
		{"p99-response<1ms", regression,
			[]string{"objectives: 1 missed\n", "  missed  p99-response<1ms  ",
				"0 of 3 runs meet it"}},
		{"short-mean-response<10s", undecided,
			[]string{"objectives: 1 undecided; undecided: ",
				"  undecided  short-mean-response<10s  –  "}},
		{"shed<=0%,short-mean-response<1ms,mean-response<1us", regression,
			[]string{"objectives: 1 met, 1 missed, 1 undecided; "}},
	} {
		t.Run(c.objective, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := command(t, quick("--count", "3", "--objective", c.objective)...)
			if o.code != c.code || o.stderr != "" {
				t.Errorf("exit code %d, want %d\n%s", o.code, c.code, o.stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(o.stdout, want) {
					t.Errorf("no %q in\n%s", want, o.stdout)
				}
			}
		})
	}
}

// TestFewObjectives: of many verdicts, those that are not met are listed.
func TestFewObjectives(t *testing.T) {
	t.Chdir(t.TempDir())
	o := command(t, quick("--strategy", "worker_pool,serial", "--load",
		"0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.5", "--n", "400", "--objective", "mean-wait<100ms")...)
	if o.code != regression || !strings.Contains(o.stdout, " met, ") ||
		strings.Contains(o.stdout, "\n  met ") ||
		!strings.Contains(o.stdout, "\n  missed  mean-wait<100ms  ") {
		t.Errorf("exit code %d\n%s", o.code, o.stdout)
	}
}

func TestObjectivesJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	o := command(t, quick("--count", "2", "--format", "json", "--objective", "p99-response<1ms",
		"--objective", "short-mean-response<1s")...)
	var doc runDocument
	if err := json.Unmarshal([]byte(o.stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if o.code != regression || len(doc.Objectives) != 2 {
		t.Fatalf("exit code %d, %+v", o.code, doc.Objectives)
	}
	missed, undecided := doc.Objectives[0], doc.Objectives[1]
	if missed.Name != doc.Runs[0].Name || missed.Unit != "p99-response-sec" ||
		missed.Bound != 0.001 || missed.Value == nil || missed.Runs != 2 || missed.Met != 0 ||
		missed.Verdict != "missed" {
		t.Errorf("%+v", missed)
	}
	if undecided.Value != nil || undecided.Verdict != "undecided" {
		t.Errorf("%+v", undecided)
	}
}

// TestUndecidable: an objective that the tasks of a run cannot tell is refused before anything is
// run, by --dry-run too, with what it takes.
func TestUndecidable(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"run --n 1000 --objective p99.9-response<1s":                               "objective p99.9-response<1s: p99.9-response-sec takes 3688 tasks after the warm-up, and n 1000 has too few: give n ",
		"run --n 300 --objective p99-wait<1s":                                      "and n 300 has too few: give n 408\n",
		"capacity --n 400 --warmup 10% --objective p99-response<50ms,shed<1%":      "p99-response-sec takes 368 tasks after the warm-up, and n 400 has too few: give n 408\n",
		"capacity --rate-range 1,1000 --duration 2s --objective p99-response<50ms": "and duration 2s, with some 2 tasks, has too few: give n 408\n",
	} {
		for _, also := range []string{"", " --dry-run"} {
			o := command(t, strings.Fields(line+" --clock virtual --strategy worker_pool --out x"+
				also)...)
			if o.code != unusable || !strings.Contains(o.stderr, want) ||
				strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%s%s: exit code %d\n%s", line, also, o.code, o.stderr)
			}
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("there is a directory")
	}
}

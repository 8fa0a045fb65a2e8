package runs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/rundir"
)

func TestDoubts(t *testing.T) {
	for verdict, want := range map[result.Verdict]struct {
		code   int
		stderr string
		lines  int
	}{
		result.Valid: {clitest.Fine, "4 of 4 runs", 0},
		result.Suspect: {clitest.Fine, "2 of 2 scenarios SUSPECT; the report and results.txt list them\n" +
			"poolbench: warning: semaphore: lag: 3 ms; and 1 more\n" +
			"poolbench: warning: semaphore: busy machine: 40 %; and 1 more\n", 3},
		result.Invalid: {clitest.Undecided, "(seed 2) is INVALID: lag: 3 ms", 8},
	} {
		t.Chdir(t.TempDir())
		drive := func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
			r := &bench.Result{Name: s.Name(), Seed: s.Seed, Tasks: 1,
				Metrics: []result.Metric{{Unit: "ops/s", Value: 1},
					{Unit: "verdict", Value: float64(verdict)}}}
			if verdict > result.Valid {
				r.Doubt(verdict, "lag", "%d ms", 3)
				r.Doubt(verdict, "busy machine", "%d %%", 40)
			}
			return r, nil
		}
		for _, format := range []string{"text", "json"} {
			o := clitest.Driven(t, drive, strings.Fields("run --strategy semaphore,serial --n 5 "+
				"--count 2 --out "+format+" --format "+format)...)
			if o.Code != want.code {
				t.Errorf("%v: exit code %d, want %d\n%s", verdict, o.Code, want.code, o.Stderr)
			}
			if format == "json" {
				if !strings.Contains(o.Stdout, `"verdict": "`+verdict.String()+`"`) ||
					(verdict > 0) != strings.Contains(o.Stdout, `"busy machine: 40 %"`) {
					t.Errorf("%v: %s", verdict, o.Stdout)
				}
				continue
			}
			if got := strings.Count(o.Stderr, "poolbench: "); got != want.lines ||
				!strings.Contains(o.Stderr, want.stderr) {
				t.Errorf("%v: %d lines, want %d with %q\n%s", verdict, got, want.lines,
					want.stderr, o.Stderr)
			}
			results := clitest.Read(t, "text/results.txt")
			if got := strings.Count(results, "# "+strings.ToLower(verdict.String())+
				": lag: 3 ms\n"); verdict > 0 && got != 4 {
				t.Errorf("%v: %s", verdict, results)
			}
		}
	}
}

func TestOwnRates(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	drive := func(_ context.Context, s bench.Scenario) (*bench.Result, error) {
		return &bench.Result{Name: s.Name(), Seed: s.Seed, Tasks: 1,
			Metrics: []result.Metric{{Unit: "ops/s", Value: 1}}}, nil
	}
	for args, want := range map[string]int{
		"--target token_bucket --strategy token_bucket,ticker_limited,semaphore":                  2,
		"--target none --strategy token_bucket":                                                   0,
		"--target concurrency_cap --strategy token_bucket":                                        0,
		"--target fixed_window --strategy token_bucket:burst=3":                                   1,
		"--target token_bucket --strategy ticker_limited:rate=90":                                 0,
		"--target token_bucket --strategy ticker_limited:rate=79":                                 1,
		"--target sec_ban:window=2s --strategy token_bucket:rate=6":                               1,
		"--target token_bucket --strategy token_bucket:rate=target":                               0,
		"--target token_bucket --strategy retry+token_bucket+worker_pool":                         1,
		"--target token_bucket --strategy token_bucket:rate=target+worker_pool":                   0,
		"--target token_bucket --strategy token_bucket:rate=target+ticker_limited:rate=20+serial": 1,
		"--target token_bucket --strategy ticker_limited:rate=90+token_bucket:rate=200+serial":    0,
	} {
		o := clitest.Driven(t, drive, append(strings.Fields("run --n 5 --rate 20,30 --out x --force"),
			strings.Fields(args)...)...)
		got := strings.Count(o.Stderr, ". rate=target uses the rate of the target")
		if o.Code != clitest.Fine || got != want {
			t.Errorf("%s: exit code %d, %d warnings, want %d\n%s", args, o.Code, got,
				want, o.Stderr)
		}
		written, err := os.ReadFile(filepath.Join("x", rundir.ResultsFile))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(written), "\n# answer strategy "); n != want {
			t.Errorf("%s: %d lines for the report, want %d", args, n, want)
		}
		o = clitest.Driven(t, drive, append(strings.Fields("run --n 5 --rate 20,30 --out x --force --quiet "+
			"--format json"), strings.Fields(args)...)...)
		var doc show.Document
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Warnings) != want {
			t.Errorf("%s: %v, %d warnings in JSON, want %d", args, err, len(doc.Warnings), want)
		}
	}
}

func TestOwnRatesOfCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	o := clitest.Command(t, strings.Fields("capacity --objective throttled<1% --clock virtual --n 20 "+
		"--rate-range 10,12 --target token_bucket --strategy token_bucket:rate=70,semaphore "+
		"--out x --format json")...)
	const want = "30 % of the target's rate are unused. rate=target uses the rate of the target"
	var doc show.SearchDocument
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Warnings) != 1 ||
		!strings.HasSuffix(doc.Warnings[0], want) {
		t.Errorf("%v, in JSON it warns of %q", err, doc.Warnings)
	}
	if results := clitest.Read(t, "x/results.txt"); strings.Count(o.Stderr, want+"\n") != 1 ||
		strings.Count(results, want+"\n") != 1 {
		t.Errorf("%s\n%s", o.Stderr, results)
	}
}

package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/strategies"
)

// usage describes the test of a command's defaults. Either TestEveryCommandIsHeld runs the command
// and checks its output, or usage names another test and a directory above it.
type usage struct {
	args  []string
	check func(t *testing.T, o clitest.Outcome)
	by    string
	less  string // deviations of the other test from the defaults, with the reason
}

var defaults = map[string]usage{
	"run": {args: []string{"run", "--clock", "virtual", "--strategy", "worker_pool,semaphore",
		"--load", "0.5,0.8", "--format", "json", "--out", "first"}, check: meansOfErlang},
	"study": {args: []string{"study", "scrape", "--expect", "does-not-hold"},
		check: func(t *testing.T, o clitest.Outcome) { says(t, o, "DOES NOT HOLD") }},
	"capacity": {args: []string{"capacity", "--clock", "virtual", "--strategy", "worker_pool",
		"--objective", "p99-response<80ms", "--format", "json"}, check: capacityOfErlang},
	"capacity URL": {by: "internal/cli TestCapacityOfServer",
		less: "a first rate and a length of probe that end within seconds of real time"},
	"advise": {by: "internal/cli TestAdvise"},
	"crash": {by: "internal/cli TestCrash",
		less: "300 tasks and 3 kills of 20000 and 10, which wait for the disk for 10 s"},
	"calibrate": {by: "internal/machine/calibration TestKnown",
		less: "a hundredth of the tasks, whose tolerances are as much wider: all takes a minute"},
	"attack": {by: "internal/cli TestAttackDefaults"},
	"gateway": {by: "internal/cli TestGatewayCommand",
		less: "30 requests a strategy: the default takes 10 s each"},
	"serve": {by: "internal/cli TestServe"},
	"compare": {args: []string{"compare", "first", "first"},
		check: func(t *testing.T, o clitest.Outcome) {
			if strings.Contains(o.Stdout, "% worse") || strings.Contains(o.Stdout, "% better") {
				t.Errorf("a directory differs from itself:\n%s", o.Stdout)
			}
		}},
	"gate":  {by: "internal/cli TestGateRevisions"},
	"trend": {by: "internal/cli TestTrendCommand"},
	"trace": {by: "internal/cli TestTrace"},
	"report": {args: []string{"report", "first"},
		check: func(t *testing.T, o clitest.Outcome) {
			if page := clitest.Read(t, "first/report.html"); !strings.Contains(page, `<h1 id="finding"`) ||
				!strings.Contains(page, "worker_pool") {
				t.Error("no finding on the page")
			}
		}},
	"why": {args: []string{"why", "first"}, check: func(t *testing.T, o clitest.Outcome) {
		says(t, o, "because")
	}},
	"merge": {by: "internal/cli TestMerge"},
	"list": {args: []string{"list"}, check: func(t *testing.T, o clitest.Outcome) {
		for _, s := range strategies.All() {
			says(t, o, s.Name)
		}
	}},
	"new":    {by: "internal/cli TestNew"},
	"worker": {by: "internal/cli TestWorkers"},
	"version": {args: []string{"version"},
		check: func(t *testing.T, o clitest.Outcome) { says(t, o, "poolbench ") }},
	"completion": {args: []string{"completion", "bash"},
		check: func(t *testing.T, o clitest.Outcome) { says(t, o, "poolbench") }},
}

var inWords = regexp.MustCompile(`\(default ([^)]*)`)

// Each command needs a row in defaults, and the named tests must exist. testdata contains the
// default values, so a change must be intentional (-update).
func TestEveryCommandIsHeld(t *testing.T) {
	var text bytes.Buffer
	rows := 0
	for _, cmd := range clitest.Root().Commands() {
		name := cmd.Name()
		if name == "capacityof" {
			name = "capacity URL"
		} else if !cmd.IsAvailableCommand() {
			continue
		}
		row, ok := defaults[name]
		if !ok {
			t.Errorf("%s has no row in the table defaults of this file: add the test that holds its defaults",
				name)
			continue
		}
		rows++
		fmt.Fprintf(&text, "%s\n", name)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := f.DefValue
			if m := inWords.FindStringSubmatch(f.Usage); value == "" && m != nil {
				value = m[1]
			}
			if !f.Hidden && !slices.Contains([]string{"", "0", "0s", "false", "[]"}, value) {
				fmt.Fprintf(&text, "  --%s %s\n", f.Name, value)
			}
		})
		switch {
		case row.by == "":
			fmt.Fprintf(&text, "  held by TestDefaults: %s\n", strings.Join(row.args, " "))
		case !hasTest(t, row.by):
			t.Errorf("%s: there is no %s", name, row.by)
		default:
			fmt.Fprintf(&text, "  held by %s", row.by)
			if row.less != "" {
				fmt.Fprintf(&text, ", with %s", row.less)
			}
			fmt.Fprintln(&text)
		}
	}
	if rows != len(defaults) {
		t.Errorf("%d rows are of no command", len(defaults)-rows)
	}
	path := filepath.Join("testdata", "defaults.txt")
	if *update {
		clitest.Write(t, path, text.String())
	}
	if diff := cmp.Diff(clitest.Read(t, path), text.String()); diff != "" {
		t.Errorf("the defaults differ from %s:\n%s", path, diff)
	}
}

func TestDefaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	order := []string{"run"} // other commands read the output of run
	for name, row := range defaults {
		if row.by == "" && name != "run" {
			order = append(order, name)
		}
	}
	slices.Sort(order[1:])
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			row := defaults[name]
			row.check(t, clitest.Succeed(t, row.args...))
		})
	}
}

func says(t *testing.T, o clitest.Outcome, want string) {
	t.Helper()
	if !strings.Contains(o.Stdout, want) {
		t.Errorf("it does not say %q:\n%s", want, o.Stdout)
	}
}

func unmarshal(t *testing.T, o clitest.Outcome, doc any) {
	t.Helper()
	if err := json.Unmarshal([]byte(o.Stdout), doc); err != nil {
		t.Fatalf("%v: %s", err, o.Stdout)
	}
}

var errHas = errors.New("there it is")

// hasTest reports whether a test exists. It is given by its package and name: "internal/cli TestX".
func hasTest(t *testing.T, by string) bool {
	t.Helper()
	dir, name, _ := strings.Cut(by, " ")
	pattern := regexp.MustCompile(`(?m)^func ` + name + `\(t \*testing\.T\)`)
	err := filepath.WalkDir(filepath.Join(checkout, dir),
		func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil && pattern.Match(text) {
				return errHas
			}
			return err
		})
	if err != nil && !errors.Is(err, errHas) {
		t.Fatal(err)
	}
	return err != nil
}

// erlang computes M/M/4 with a mean service time of 10 ms, by the recursion of Erlang B. It returns
// the waiting probability, the arrival rate and the rate of one worker.
func erlang(load float64) (waits, arrivals, worker float64) {
	const k = 4
	worker = 100
	arrivals = load * k * worker
	blocked := 1.0
	for i := 1.0; i <= k; i++ {
		blocked = arrivals / worker * blocked / (i + arrivals/worker*blocked)
	}
	return blocked / (1 - load*(1-blocked)), arrivals, worker
}

// The mean wait must be within 15 % of Erlang's value, and equal for both strategies.
func meansOfErlang(t *testing.T, o clitest.Outcome) {
	var doc show.Document
	unmarshal(t, o, &doc)
	if len(doc.Runs) != 4 {
		t.Fatalf("%d runs, want 4", len(doc.Runs))
	}
	waits := map[string][]float64{}
	for _, r := range doc.Runs {
		load := "0.5"
		if strings.Contains(r.Name, "/load=0.8/") {
			load = "0.8"
		}
		waits[load] = append(waits[load], r.Metrics["mean-wait-sec"])
	}
	for load, at := range map[string]float64{"0.5": 0.5, "0.8": 0.8} {
		c, arrivals, worker := erlang(at)
		exact := c / (4*worker - arrivals)
		if w := waits[load]; len(w) != 2 || w[0] != w[1] || math.Abs(w[0]/exact-1) > 0.15 {
			t.Errorf("load %s: mean waits %v s, exact %v s", load, w, exact)
		}
	}
}

// The load at which the exact p99 response is 80 ms must lie between the met and the missed load.
// The tolerance of 5 % covers the error of finite runs.
func capacityOfErlang(t *testing.T, o clitest.Outcome) {
	var doc show.SearchDocument
	unmarshal(t, o, &doc)
	late := func(load, after float64) float64 { // share of responses longer than after
		c, arrivals, worker := erlang(load)
		spare := 4*worker - arrivals
		return (1-c)*math.Exp(-worker*after) + c*(spare*math.Exp(-worker*after)-
			worker*math.Exp(-spare*after))/(spare-worker)
	}
	low, high := 0.3, 0.99
	for range 50 {
		if mid := (low + high) / 2; late(mid, 0.080) < 0.01 {
			low = mid
		} else {
			high = mid
		}
	}
	if len(doc.Answers) != 1 || doc.Answers[0].Met == nil || doc.Answers[0].Missed == nil {
		t.Fatalf("%s", o.Stdout)
	}
	if a := doc.Answers[0]; *a.Met > 1.05*low || *a.Missed < low/1.05 || *a.Missed > 1.2**a.Met {
		t.Errorf("the capacity is in %v to %v, exact %v", *a.Met, *a.Missed, low)
	}
}

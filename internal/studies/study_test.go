package studies

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/workloads"
)

// Two studies must not share a question, a claim or a scenario. Quick sizes must fit their budgets,
// and the default studies a default run.
func TestStudies(t *testing.T) {
	said := map[string]bool{}
	for _, s := range All() {
		for _, text := range []string{s.Question, s.Claim} {
			if text == "" || said[text] {
				t.Errorf("study %s says %q, as nothing or as another one", s.Name, text)
			}
			said[text] = true
		}
	}
	for size := Quick; size <= Full; size++ {
		cells := map[string]string{}
		for _, s := range All() {
			suite, err := s.Suite(size, 1)
			if err != nil {
				t.Error(err)
				continue
			}
			if suite.Count < 1 {
				t.Errorf("study %s: %d repetitions", s.Name, suite.Count)
			}
			for _, sc := range suite.Scenarios {
				key := evidence.Cell(sc.Name())
				if other := cells[key]; other != "" {
					t.Errorf("%s belongs to the study %s already, and now to %s: their runs "+
						"would pool", sc.Name(), other, s.Name)
				}
				cells[key] = s.Name
			}
			suite.Parallel = 2
			// except for counted computations, whose expected time grows on a busy machine
			counted := suite
			counted.Scenarios = slices.DeleteFunc(slices.Clone(suite.Scenarios),
				func(sc bench.Scenario) bool {
					return sc.Workload.Spec.Kind == workloads.CPU && sc.Stop.Duration == 0
				})
			if size == Quick && counted.Estimate() > s.Budget {
				t.Errorf("study %s is planned to take %v, its budget is %v", s.Name,
					counted.Estimate(), s.Budget)
			}
			t.Logf("%d %-15s %4d scenarios, %5d runs, %v", size, s.Name, len(suite.Scenarios),
				suite.Runs(), suite.Estimate().Round(100*time.Millisecond))
		}
	}
	in, out := Default()
	var total time.Duration
	for _, s := range in {
		total += s.Budget
	}
	if total > defaultBudget || len(in)+len(out) != len(All()) {
		t.Errorf("the default run has budgets of %v, of %v, and %d of %d studies, %d apart", total,
			defaultBudget, len(in), len(All()), len(out))
	}
}

func TestDefaultBudget(t *testing.T) {
	list := []Study{{Name: "a", Budget: 5}, {Name: "b", Budget: 6}, {Name: "c", Budget: 5},
		{Name: "d", Budget: 1}}
	list = slices.Insert(list, 1, Study{Name: "x", Budget: 1, Apart: true})
	in, out := withinBudget(10, list)
	if len(in) != 2 || in[0].Name != "a" || in[1].Name != "c" || len(out) != 3 ||
		out[0].Name != "x" || out[1].Name != "b" || out[2].Name != "d" {
		t.Errorf("in are %v, out %v", in, out)
	}
}

func TestSameWork(t *testing.T) {
	for _, s := range All() {
		suite, err := s.Suite(Standard, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range suite.Scenarios {
			if sc.Seed != suite.Scenarios[0].Seed {
				t.Errorf("study %s: %s differs in its seed", s.Name, sc.Name())
			}
			if sc.Clock == bench.Virtual && sc.Stop.Tasks == 0 {
				t.Errorf("study %s: a virtual run is given a duration, so its precision is "+
					"left to chance", s.Name)
			}
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	for _, s := range All() {
		if f := s.Find(nil); f.Verdict != decide.ClaimUndecided || f.Because == "" {
			t.Errorf("study %s finds of nothing: %v, %q", s.Name, f.Verdict, f.Because)
		}
		figures, err := s.figures(evidence.FromResults(nil))
		if err != nil || len(figures) > 0 {
			t.Errorf("study %s draws of nothing: %d figures, %v", s.Name, len(figures), err)
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, s := range All() {
		for _, v := range decide.ClaimVerdicts {
			f := decide.Finding{Verdict: v, Advice: s.Advice.For(v)}
			checkSentences(t, f)
			if n := len(f.Advice); (n == 0) != (v == decide.ClaimUndecided) || n > 160 {
				t.Errorf("study %s advises %q where its verdict is %s", s.Name, f.Advice, v)
			}
		}
	}
}

func TestVerdictWords(t *testing.T) {
	for _, v := range []decide.ClaimVerdict{decide.Holds, decide.DoesNotHold, decide.Depends} {
		for _, text := range []string{string(v), strings.ReplaceAll(string(v), " ", "-")} {
			if got, err := decide.ParseClaimVerdict(text); got != v || err != nil {
				t.Errorf("%q is read as %v, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{"", "undecided", "hold", "Holds"} {
		if v, err := decide.ParseClaimVerdict(text); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
}

func TestLongestRunCounts(t *testing.T) {
	sc := loadSweep(Quick, "worker_pool")[0]
	resultOf := func(size Size, verdict result.Verdict, value float64) *bench.Result {
		long := loadSweep(size, "worker_pool")[0]
		return &bench.Result{Name: long.Name(), Seed: 1, Tasks: long.Stop.Tasks,
			Metrics: []result.Metric{{Unit: "ops/s", Value: value},
				{Unit: "verdict", Value: float64(verdict)}}}
	}
	m := evidence.FromResults([]*bench.Result{resultOf(Quick, result.Valid, 1), resultOf(Full,
		result.Invalid, 3),
		resultOf(Standard, result.Suspect, 2)})
	if got := m.Values(sc, "ops/s"); len(got) != 1 || got[0] != 2 {
		t.Errorf("found %v, want that of the longest run that is not INVALID, 2", got)
	}
}

// A results file may contain strategies added by the user, even if they cannot run here. Unknown
// strategies are ignored.
func TestAddedStrategies(t *testing.T) {
	m := evidence.FromResults(nil)
	at := func(name string) bench.Scenario { return loadSweep(Quick, name)[0] }
	for _, name := range []string{"worker_pool", "codel_lifo", "ants", "their_own",
		"segregated:short=7,long=9"} {
		full := strings.Replace(at("worker_pool").Name(), "worker_pool", name, 1)
		switch {
		case name == "codel_lifo": // sheds, so its queue length differs
			full = at(name).Name()
		case strings.HasPrefix(name, "segregated"):
			full = strings.Replace(full, "limit=4", "limit=16", 1)
		}
		m.Add(full, evidence.Repetition{Metric: func(string) (float64, bool) { return 0, false }})
		m.Styles = append(m.Styles, name)
	}
	if others := strings.Join(m.Others([]string{"worker_pool"}, at),
		" "); others != "codel_lifo ants" {
		t.Errorf("others are %q, want codel_lifo and ants", others)
	}
}

func runOnce(t *testing.T, sc bench.Scenario) *bench.Result {
	t.Helper()
	sc.Seed = max(sc.Seed, 1)
	r, err := bench.Run(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResultsFileEqualsResults(t *testing.T) {
	sc := loadSweep(Quick, "worker_pool")[0]
	sc.Stop.Tasks = 500
	r := runOnce(t, sc)
	dir, err := directory.Create(t.TempDir()+"/x", directory.New)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dir.Write(r), dir.Close(1, nil)); err != nil {
		t.Fatal(err)
	}
	results, err := results.ReadFile(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	live, file := evidence.FromResults([]*bench.Result{r}), evidence.FromFile(results, "load")
	for _, m := range r.Metrics {
		a, b := live.Mean(sc, m.Unit).Mid, file.Mean(sc, m.Unit).Mid
		if math.IsNaN(a) || math.Abs(a-b) > 1e-12*math.Abs(a) {
			t.Errorf("%s is %v in the result and %v in the file", m.Unit, a, b)
		}
	}
}

package judge_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
)

var (
	whole = flag.String("full", "", "replay what takes minutes alone: goals or unpaired")
	seed  = flag.Uint64("seed", 1, "of what takes minutes")
)

var recorded = sync.OnceValues(readTraces)

func small(t *testing.T, gates, draws int) *replayer {
	t.Helper()
	traces, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	r := full(traces, 1)
	r.gates, r.draws = gates, draws
	return r
}

// contradicted reports whether a correct gate would give this result with a probability of at most
// 0.1 %.
func contradicted(g goal) bool {
	if g.of == 0 {
		return !g.reached()
	}
	bad, p := g.hits, g.wanted/100
	if g.least {
		bad, p = g.of-g.hits, 1-p
	}
	var tail float64
	for k := bad; k <= g.of; k++ {
		choose, _ := math.Lgamma(float64(g.of + 1))
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(g.of - k + 1))
		tail += math.Exp(choose - a - b + float64(k)*math.Log(p) + float64(g.of-k)*math.Log1p(-p))
	}
	return tail <= 0.001
}

// TestGoals simulates 20 gates of each kind. The full number is 2000.
func TestGoals(t *testing.T) {
	switch *whole {
	case "":
	case "goals", "unpaired":
		replayWhole(t)
		return
	default:
		t.Fatalf("-full %s: want goals or unpaired", *whole)
	}
	ids := make(map[string]int)
	gates := 20
	if testing.Short() {
		gates = 3
	}
	for _, g := range small(t, gates, 40).goals() {
		ids[g.id]++
		if contradicted(g) {
			t.Errorf("%s, %s: %d of %d, %.2f; wanted %v", g.id, g.what, g.hits,
				g.of, g.got, g.wanted)
		}
	}
	for _, id := range []string{"F1", "F3", "F4", "F5", "F6", "P1", "P2", "P3", "P4", "P5", "P6",
		"P7", "P8", "R1", "T1", "W1"} {
		if ids[id] == 0 {
			t.Errorf("nothing of %s", id)
		}
	}
}

func replayWhole(t *testing.T) {
	traces, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	r := full(traces, *seed)
	if *whole == "unpaired" {
		if err := r.writeUnpaired(os.Stdout); err != nil {
			t.Error(err)
		}
		return
	}
	goals := r.goals()
	if err := writeTable(os.Stdout, goals); err != nil {
		t.Error(err)
	}
	for _, g := range goals {
		if !g.reached() {
			t.Errorf("%s, %s: missed", g.id, g.what)
		}
	}
}

func TestFaultyGateMissesGoals(t *testing.T) {
	missed := func(goals []goal, id string) bool {
		for _, g := range goals {
			if g.id == id && contradicted(g) {
				return true
			}
		}
		return false
	}
	all := []struct {
		what, id string
		gates    int
		change   func(r *replayer)
		measure  func(r *replayer) []goal
	}{
		{"a single build for each arm", "F1", 15, func(r *replayer) { r.builds = 1 },
			(*replayer).calm},
		{"no margin", "F1", 200, func(r *replayer) { r.options.Margin = 0 }, (*replayer).calm},
		{"a margin as large as the promise", "P1", 15, func(r *replayer) { r.options.Margin = 0.1 },
			(*replayer).regressions},
		{"next to no alpha", "P1", 15, func(r *replayer) { r.options.Alpha = 1e-5 },
			(*replayer).regressions},
		{"hardly anything is suspect", "P1", 15,
			func(r *replayer) { r.options.SuspectAt, r.options.ClearAt = 0.02, 0.9999 },
			(*replayer).regressions},
		{"a narrow promise, so that hardly anything is cleared", "W1", 15,
			func(r *replayer) { r.options.Promise = 0.05 }, (*replayer).calm},
		{"everything is suspect", "W1", 15, func(r *replayer) { r.options.SuspectAt = 0.9999 },
			(*replayer).calm},
		{"next to no alpha for throughput", "P4", 15, func(r *replayer) { r.options.Alpha = 1e-3 },
			(*replayer).throughput},
		{"a lax alpha for tails", "F3", 15, func(r *replayer) { r.options.Alpha = 0.2 },
			func(r *replayer) []goal {
				goals := r.tails()
				for i := range goals {
					if goals[i].id == "F3" {
						goals[i].wanted = 7
					}
				}
				return goals
			}},
	}
	if testing.Short() {
		all = all[:1]
	}
	for _, wrong := range all {
		r := small(t, wrong.gates, 60)
		wrong.change(r)
		if !missed(wrong.measure(r), wrong.id) {
			t.Errorf("%s goes unnoticed", wrong.what)
		}
	}
}

func TestSameSeedSameNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	a, b, c := small(t, 4, 4), small(t, 4, 4), small(t, 4, 4)
	b.workers = 5
	c.seed = 2
	show := func(r *replayer) string { return fmt.Sprint(r.calm(), r.tails()) }
	one := show(a)
	if show(b) != one {
		t.Error("five workers find something else than two")
	}
	if show(c) == one {
		t.Error("another seed finds the same")
	}
}

func TestDrift(t *testing.T) {
	next := drift(rand.New(rand.NewPCG(1, 1)))
	const runs = 100_000
	logs := make([]float64, runs)
	var mean float64
	for i := range logs {
		logs[i] = math.Log(next())
		mean += logs[i] / runs
	}
	lagged := func(lag int) (c float64) {
		for i := range runs - lag {
			c += (logs[i] - mean) * (logs[i+lag] - mean) / float64(runs-lag)
		}
		return c
	}
	// The drift has a covariance of 0.03² after one run, and 1/e of this after 100 runs. The other
	// noise is independent. The standard error is about 5 %.
	if near, far := lagged(1), lagged(100); math.Abs(near/9e-4-1) > 0.2 ||
		math.Abs(near/far/math.E-1) > 0.2 {
		t.Errorf("covariance %v of neighbours, %v at a distance of 100", near, far)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	err := writeTable(&out, []goal{
		atMost("F1", "alarms", 0.5, 1, 100), atLeast("P1", "found", 93, 95, 100),
		{id: "W1", what: "measuring", wanted: 90, got: 62, unit: "s", basis: "12.4 runs each",
			noPromise: true}})
	const want = `goal  what       wanted   got                      verdict
F1    alarms     ≤ 0.5 %  1.00 %   1 of 100        missed
P1    found      ≥ 93 %   95.00 %  95 of 100       reached
W1    measuring  ≤ 90 s   62.00 s  12.4 runs each  reached (no promise)
2 of 3 goals reached
`
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestTracesRefuse(t *testing.T) {
	count := func([]float64) error { return nil }
	for text, want := range map[string]string{
		"":           "x: the file is empty",
		"1 2\n1 y\n": `x:2: strconv.ParseFloat: parsing "y": invalid syntax`,
	} {
		if err := eachLine("x", strings.NewReader(text), count); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

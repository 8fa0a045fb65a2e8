package studies

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

func randomStrategy(r *rand.Rand) strategies.Variant {
	texts := []string{"0", "1", "2", "3", "5", "7", "64", "1000000", "0.5", "1e-9", "1e9", "1ns",
		"10ms", "1h", "100%", "none", "full", "heed", "lifo"}
	for {
		spec := strategies.All()[r.IntN(len(strategies.All()))]
		call := param.Call{Name: spec.Name}
		for _, k := range spec.Keys {
			if r.IntN(2) == 0 {
				call.Args = append(call.Args, param.Arg{Key: k.Name,
					Value: append(texts, k.Choices...)[r.IntN(len(texts)+len(k.Choices))]})
			}
		}
		if v, err := strategies.Resolve(call); err == nil {
			return v
		}
	}
}

func randomMetrics(r *rand.Rand) string {
	var b strings.Builder
	units := []string{"ns/op", "verdict", "found-3-long/op", "short-p99-response-sec",
		"long-mean-response-sec", "io-mean-response-sec", "cpu-mean-response-sec",
		"long-p99-response-sec"}
	for _, m := range observe.Metrics() {
		units = append(units, m.Unit)
	}
	values := []float64{0, 1, 0.5, -1, 3, 1e-9, 5e-324, math.MaxFloat64}
	for i, unit := range units {
		switch v := values[r.IntN(len(values))]; {
		case i > 0 && r.IntN(4) == 0:
		case unit == "verdict":
			fmt.Fprintf(&b, " %d verdict", r.IntN(3))
		case r.IntN(3) > 0:
			fmt.Fprintf(&b, " %v %s", math.Exp(8*r.NormFloat64()), unit)
		default:
			fmt.Fprintf(&b, " %v %s", v, unit)
		}
	}
	return b.String()
}

func randomFile(r *rand.Rand, cells []bench.Scenario) string {
	var b strings.Builder
	b.WriteString("# poolbench results 1\n# strategies worker_pool semaphore\n")
	limits := []int{1, 3, limit, limit, limit, 5, 8, 64}
	for range 1 + r.IntN(60) {
		sc := cells[r.IntN(len(cells))]
		if r.IntN(3) == 0 {
			sc.Strategy, sc.Limit = randomStrategy(r), limits[r.IntN(len(limits))]
		}
		for seed := range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "# seed %d\nBenchmark%s %d%s\n", seed, sc.Name(),
				1+r.IntN(1000), randomMetrics(r))
		}
		if r.IntN(20) == 0 {
			fmt.Fprintf(&b, "# study %s: what?\n# claim so\n# verdict %s: because\n",
				[]string{"load", "scrape", "of_nobody"}[r.IntN(3)],
				[]string{"holds", "maybe"}[r.IntN(2)])
		}
	}
	b.WriteString("# complete 1 run\n")
	return b.String()
}

func draw(t *testing.T, results, timeline, distributions string) {
	dir := t.TempDir()
	for name, text := range map[string]string{rundir.ResultsFile: results,
		rundir.TimelineFile: timeline, rundir.DistributionsFile: distributions} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := page.Load(dir, Figures)
	if err != nil {
		if strings.Contains(strings.TrimSuffix(err.Error(), "\n"), "\n") {
			t.Errorf("the error is not one line: %q", err)
		}
		return
	}
	if err := r.WriteHTML(io.Discard); err != nil {
		t.Error(err)
	}
}

func allCells(size Size) (cells []bench.Scenario) {
	for _, s := range All() {
		cells = append(cells, s.Cells(size)...)
	}
	return cells
}

func TestAddedStrategiesAtRandom(t *testing.T) {
	cells := allCells(Quick)
	seeds := uint64(12)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, s := range All() {
			v := randomStrategy(r)
			suite, err := s.Suite(Size(r.IntN(3)), seed, v)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("study %s of %s: more than a line: %q", s.Name, v, err)
			}
			if err == nil && suite.Scenarios[len(suite.Scenarios)-1].Seed != seed {
				t.Errorf("study %s does not begin with seed %d", s.Name, seed)
			}
		}
		text := randomFile(r, cells)
		draw(t, text, "", "")
		results, err := results.Read(strings.NewReader(text), "x")
		if err != nil {
			continue
		}
		for _, s := range All() {
			if f := s.Judge(evidence.FromFile(results, s.Name)); f.Because == "" {
				t.Errorf("seed %d: study %s says nothing", seed, s.Name)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	odd := strategy("segregated:short=2,long=3")[0]
	for _, s := range All() {
		if s.With == nil {
			continue
		}
		if _, err := s.Suite(Quick, 1, odd); err == nil ||
			!strings.Contains(err.Error(), "study "+s.Name+": ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("study %s takes segregated with 5 slots: %v", s.Name, err)
		}
	}
	m := evidence.FromResults(nil)
	m.Styles = []string{"worker_pool", odd.String()}
	for _, sc := range loadSweep(Quick, "worker_pool", odd.String()) {
		m.Add(sc.Name(), evidence.Repetition{Tasks: 1, Metric: func(unit string) (float64, bool) {
			if unit == "verdict" || unit == "broken-laws" {
				return 0, false
			}
			return 1, true
		}})
	}
	figure, ok, err := drawNearing(m).Page()
	if !ok || err != nil || len(figure.Notes) > 0 {
		t.Fatal(figure, ok, err)
	}
	const want = "segregated:short=2,long=3 is omitted: strategy segregated: short=2 and long=3 " +
		"do not add up to the limit of 4"
	if len(m.LeftOut) != 1 || m.LeftOut[0] != want {
		t.Errorf("left out: %q, want %q", m.LeftOut, want)
	}
}

func FuzzReport(f *testing.F) {
	cells := allCells(Quick)
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		f.Add(randomFile(rand.New(rand.NewPCG(seed, 2)), cells), "", "")
	}
	head := "# poolbench results 1\n"
	line := "BenchmarkRun/strategy=worker_pool/workload=exponential/target=none/arrival=poisson/limit=4/load=0.7/clock=virtual 9 1 ns/op 1 p99-response-sec\n"
	for _, results := range []string{"", head, head + line, line,
		head + strings.Replace(line, "1 ns", "NaN ns", 1),
		head + strings.ReplaceAll(line, "1 p99", "+Inf p99"),
		head + line + "# study load: how?\n", head + line[:60],
		strings.ReplaceAll(head+line, "limit=4", "limit=NaN"),
		strings.ReplaceAll(head+line, "load=0.7", "load=-1")} {
		f.Add(results, "run,repetition,start-sec,interval-sec,in-flight,queued\n", "#\n")
	}
	f.Fuzz(draw)
}

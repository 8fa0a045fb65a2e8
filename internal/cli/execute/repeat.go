package execute

import (
	"context"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/reports/results"
)

// runPace compares the actual durations of runs with their estimates.
type runPace struct {
	begun     time.Time     // start of the first run
	estimated time.Duration // estimated total duration of all runs since
}

// estimate is the estimated duration of all count repetitions.
func (p runPace) fits(count int, estimate, budget time.Duration) int {
	spent := time.Since(p.begun)
	needed := float64(estimate) * float64(spent) / float64(max(p.estimated, 1))
	if share := float64(budget-spent) / needed; share < 1 {
		count = int(float64(count) * share)
	}
	return max(count, 0)
}

// extendRuns repeats the virtual scenarios of a section whose objectives are undecided, with
// further seeds. It first extends them to 5 runs, the minimum for an interval over seeds, and then
// doubles their number until all objectives are decided, further seeds cannot decide them, or the
// budget is used up.
func (e *Execution) extendRuns(ctx context.Context, section int, spent runPace) error {
	if len(e.objectives) == 0 {
		return nil
	}
	for {
		suite := e.further(section)
		if suite.Scenarios == nil {
			return nil
		}
		if suite.Count = spent.fits(suite.Count, suite.Estimate(), e.Budget); suite.Count == 0 {
			return nil
		}
		e.Planned += suite.Runs()
		e.Show.More(suite)
		spent.estimated += suite.Estimate()
		if err := e.do(ctx, section, suite); err != nil {
			return err
		}
	}
}

func (e *Execution) further(section int) (next bench.Suite) {
	cells := map[string]results.Cell{}
	for i, r := range e.section {
		cells[e.section[i].Name] = append(cells[e.section[i].Name], asRun(r))
	}
	for _, sc := range e.Plan[section].Suite.Scenarios {
		cell := cells[sc.Name()]
		if sc.Clock != bench.Virtual || sc.Load.Arrival.Tasks() > 0 || !e.open(cell) {
			continue
		}
		more := len(cell)
		if more < results.EnoughSeeds {
			more = results.EnoughSeeds - len(cell)
		}
		if next.Count != 0 && next.Count != more {
			continue // it is in the next round
		}
		sc.Seed += uint64(len(cell))
		next.Scenarios, next.Count = append(next.Scenarios, sc), more
	}
	next.Parallel = e.Runner.Parallel()
	return next
}

func (e *Execution) open(cell results.Cell) bool {
	for _, o := range e.objectives {
		unit, _ := decide.Completed(o.Unit)
		if cell.Decide(o.Limit()).Verdict == decide.Undecided && cell.SeedsDecide(unit) {
			return true
		}
	}
	return false
}

// asRun returns the result as if it had been read from the directory.
func asRun(r *bench.Result) *results.Run {
	run := &results.Run{Name: r.Name, Keys: results.NameKeys(benchfmt.Name(r.Name)), Iters: r.Tasks,
		Values: make(map[string]float64, len(r.Metrics)), Seed: strconv.FormatUint(r.Seed, 10)}
	for _, m := range r.Metrics {
		v, unit := benchunit.Tidy(m.Value, m.Unit)
		run.Values[unit] = v
	}
	for _, reason := range r.Reasons {
		run.Doubts = append(run.Doubts,
			results.Doubt{Invalid: reason.Verdict == result.Invalid, Text: reason.String()})
	}
	for _, m := range r.Uncertain {
		if run.Uncertain == nil {
			run.Uncertain = map[string]float64{}
		}
		run.Uncertain[m.Unit] = m.Value
	}
	return run
}

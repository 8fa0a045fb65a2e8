package execution

import (
	"context"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/reports/results"
)

// goOn repeats the virtual scenarios of a section whose objectives are undecided, with further
// seeds: up to 5 runs, from which an interval is over the seeds, then twice as many, and so on. It
// ends when all objectives are decided, when further seeds cannot decide them, or when the next
// round would not fit into what is left of the budget.
func (e *Execution) goOn(ctx context.Context, section int) error {
	if len(e.objectives) == 0 || e.Budget == 0 {
		return nil
	}
	begun, left := time.Now(), e.Budget
	for {
		suite := e.further(section, left)
		if suite.Scenarios == nil {
			return nil
		}
		e.Planned += suite.Runs()
		e.Show.More(suite)
		if err := e.do(ctx, section, suite); err != nil {
			return err
		}
		left = e.Budget - time.Since(begun)
	}
}

// further returns the next round of runs of the section; none if nothing is left to decide or the
// round would take longer than that.
func (e *Execution) further(section int, left time.Duration) (next bench.Suite) {
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
			continue // its turn comes with the next round
		}
		sc.Seed += uint64(len(cell))
		next.Scenarios, next.Count = append(next.Scenarios, sc), more
	}
	next.Parallel = e.Runner.Parallel()
	if next.Estimate() > left {
		next.Count = int(float64(next.Count) * float64(left) / float64(next.Estimate()))
		if next.Count == 0 {
			return bench.Suite{}
		}
	}
	return next
}

// open reports whether an objective of the cell is undecided and further seeds may decide it.
func (e *Execution) open(cell results.Cell) bool {
	for _, o := range e.objectives {
		if cell.Decide(o.Limit()).Verdict == decide.Undecided && cell.SeedsDecide(o.Unit) {
			return true
		}
	}
	return false
}

// asRun is the result as a reader of the directory would find it.
func asRun(r *bench.Result) *results.Run {
	run := &results.Run{Name: r.Name, Keys: results.NameKeys(benchfmt.Name(r.Name)), Iters: r.Tasks,
		Values: make(map[string]float64, len(r.Metrics)), Seed: strconv.FormatUint(r.Seed, 10)}
	for _, m := range r.Metrics {
		v, unit := benchunit.Tidy(m.Value, m.Unit)
		run.Values[unit] = v
	}
	for _, reason := range r.Reasons {
		run.Doubts = append(run.Doubts,
			results.Doubt{Invalid: reason.Verdict == bench.Invalid, Text: reason.String()})
	}
	for _, m := range r.Uncertain {
		if run.Uncertain == nil {
			run.Uncertain = map[string]float64{}
		}
		run.Uncertain[m.Unit] = m.Value
	}
	return run
}

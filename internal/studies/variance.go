package studies

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/dist"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// variance asks what variance of the task times costs a pool that is kept equally busy, and which strategy takes how much of that
// back. Each of its parts is a figure with the scenarios that it shows and the lines that it answers.
//
// The claim is put to the test by the p99 response of the short tasks and by the mean slowdown, of partitioned and of segregated against the
// shared pool. It holds where all four are lower at every R above 1, the interval of the ratio being below 1; it does not hold where none is lower
// at taxAt; else it depends on R.
var _ = register(Study{
	Name:     "variance",
	Question: "what does variance of the task times cost, where does it bite, and which strategy spares it?",
	Claim:    "partitioning long tasks, or a pool for each class, takes back what the variance of task times costs a shared pool",
	Count:    [3]int{3, 6, 20},
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, p := range varianceParts {
			for _, sc := range p.cells() {
				cells = append(cells, resized(sc, varianceLength[size]))
			}
		}
		return cells
	},
	Judge: func(m *measured) Finding {
		f := judgeCost(m)
		for _, p := range varianceParts {
			f.Lines = append(f.Lines, p.answer(m)...)
		}
		return f
	},
	Draw: func(m *measured) (figures []reports.Figure, err error) {
		for _, p := range varianceParts {
			f, err := p.draw(m)
			if empty(err) {
				continue // not one of its scenarios was run
			} else if err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
		return figures, nil
	},
})

// varianceLength is how long the runs are, of the standard length.
var varianceLength = [...]float64{0.2, 1, 5}

// A variancePart is a figure of the study.
type variancePart struct {
	cells  func() []bench.Scenario
	draw   func(*measured) (reports.Figure, error) // *charts.EmptyError: nothing was measured
	answer func(*measured) []string
}

var varianceParts = []variancePart{costPart, heldPart, capacityPart, quantumPart, shedPart, loopPart, loadPart}

const (
	varianceLoad = 0.8
	// unit is the length of a short task, and the quantum of the partitioned strategies.
	unit = time.Millisecond
	// room is more than ever waits: a strategy with a queue is to choose among all tasks that are there.
	room = 1_000_000
)

// sized gives a scenario as many tasks as its variance asks for. The p99 of a response has, over n tasks, a relative error that is
// in proportion to √((1+C²)/n)/(1−ρ); so n grows with 1+C², up to a bound for the sake of time, at which the intervals are wider.
func sized(base int, c2 float64, most int) bench.Stop {
	n := min(max(2*base, base*int(math.Ceil(1+c2))), most)
	return bench.Stop{Tasks: n, Warmup: 0.1}
}

// resized makes a run of so many tasks shorter or longer.
func resized(sc bench.Scenario, by float64) bench.Scenario {
	sc.Stop.Tasks = int(math.Round(float64(sc.Stop.Tasks) * by))
	return sc
}

// only gives a scenario its strategy, as the command line would call it, and what all scenarios of the study have in common. A strategy that waits has room.
func only(sc bench.Scenario, strategy string) bench.Scenario {
	sc.Strategy = variants(strategies.ParseVariant, strategy)[0]
	sc.Limit, sc.Seed, sc.Clock = limit, 1, bench.Virtual
	if sc.Strategy.Spec.UsesQueue && !sc.Strategy.Spec.Sheds {
		sc.Queue = room
	}
	return sc
}

// halves is the workload in which short tasks of one unit and long ones of r units each are half of the work. Its mean is given so
// that the short tasks are one unit long, whatever r is.
func halves(r float64) string {
	mean := time.Duration(math.Round(2 * r / (1 + r) * float64(unit)))
	return fmt.Sprintf("two_class:mean=%s,r=%v", dist.FormatDuration(mean), r)
}

// halvesC2 is its squared coefficient of variation.
func halvesC2(r float64) float64 { return (r - 1) * (r - 1) / (4 * r) }

// String writes a number and its interval: 12.7 (11.9 to 13.5).
func (in interval) String() string {
	if math.IsNaN(in.lo) {
		return short(in.mid)
	}
	return fmt.Sprintf("%s (%s to %s)", short(in.mid), short(in.lo), short(in.hi))
}

// short writes three significant digits.
func short(v float64) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // of what was just written
	}
	return charts.Count(r)
}

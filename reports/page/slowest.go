package page

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

const drawnSlowest = 20

var slowParts = []string{"the generator's lag", "blocked in Submit", "queued", "between attempts",
	"service", "in the target"}

// The parts are in seconds. Service excludes the time in the target.
func partsOf(t *rundir.SlowTask) (parts []float64) {
	for _, d := range []time.Duration{t.Lag, t.Blocked, t.Queued, t.Between, t.Service - t.Target,
		t.Target} {
		parts = append(parts, d.Seconds())
	}
	return parts
}

func (in *reportInput) readSlowest(path string, groups []*Group) error {
	wanted := map[string]*results.Run{}
	for _, g := range groups {
		for _, s := range g.Sweeps() {
			if c := slowestCell(s); c != nil {
				wanted[timelineKey(c.Cell[0].Name, c.Cell[0].Repetition)] = c.Cell[0]
			}
		}
	}
	in.slowest = map[*results.Run][]rundir.SlowTask{}
	cut, err := rundir.EachSlowest(path, func(run string, repetition int) bool {
		return wanted[timelineKey(run, repetition)] != nil
	}, func(run string, repetition int, t rundir.SlowTask) {
		r := wanted[timelineKey(run, repetition)]
		in.slowest[r] = append(in.slowest[r], t)
	})
	if cut {
		in.notes = append(in.notes, rundir.SlowestFile+" was cut off: its last line is left out.")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // an older directory
	}
	return err
}

// isSlower compares the mean if a cell has too few tasks for a p99.
func isSlower(a, b *Cell) bool {
	x, y := a.Value(metric.P99Response), b.Value(metric.P99Response)
	if math.IsNaN(x) || math.IsNaN(y) {
		x, y = a.Value(metric.MeanResponse), b.Value(metric.MeanResponse)
	}
	return x > y
}

func slowestCell(s Sweep) (slow *Cell) {
	for _, c := range s.CellsAt(s.At[len(s.At)-1]) {
		if slow == nil || isSlower(c, slow) {
			slow = c
		}
	}
	return slow
}

func (in *reportInput) slowestChart(s Sweep) (*charts.Chart, error) {
	c := slowestCell(s)
	if c == nil || len(in.slowest[c.Cell[0]]) == 0 {
		return nil, nil
	}
	tasks := slices.Clone(in.slowest[c.Cell[0]])
	tasks = tasks[:min(len(tasks), drawnSlowest)]
	slices.SortStableFunc(tasks, func(a, b rundir.SlowTask) int { return int(a.Due - b.Due) })
	var rows []charts.Stack
	for _, t := range tasks {
		rows = append(rows, charts.Stack{
			Name:  fmt.Sprintf("due %s", text.Seconds(t.Due.Seconds())),
			Parts: partsOf(&t)})
	}
	return charts.Lengths(in.slowestFinding(c), "time from due to end", rows,
		func(i int) string { return slowParts[i] })
}

func (in *reportInput) slowestFinding(c *Cell) string {
	tasks := in.slowest[c.Cell[0]]
	bursts, _ := rundir.Bursts(tasks)
	sums, all := make([]float64, len(slowParts)), 0.0
	for i := range tasks {
		for k, v := range partsOf(&tasks[i]) {
			sums[k] += v
			all += v
		}
	}
	most := slices.MaxFunc(bursts, func(a, b rundir.Burst) int { return a.Tasks - b.Tasks })
	part := slices.Index(sums, slices.Max(sums))
	where := fmt.Sprintf("%d of the %s of %s are of one burst at %s", most.Tasks,
		text.Count(len(tasks), "slowest task"), label(c), text.Seconds(most.Start.Seconds()))
	if most.Tasks*4 < len(tasks) {
		where = fmt.Sprintf("The %s of %s come in %s", text.Count(len(tasks), "slowest task"),
			label(c), text.Count(len(bursts), "burst"))
	}
	if all == 0 {
		return where
	}
	return fmt.Sprintf("%s; %s of their time is %s", where, text.WholeShare(sums[part]/all),
		slowParts[part])
}

func (in *reportInput) slowestCaption(s Sweep, _ *charts.Chart) string {
	c := slowestCell(s)
	str := fmt.Sprintf("A bar for each of the %d slowest tasks of %s in the first repetition, in "+
		"order of their due times.", min(len(in.slowest[c.Cell[0]]), drawnSlowest), label(c))
	return str + " slowest.csv has " + text.Count(len(in.slowest[c.Cell[0]]), "task") +
		" of each run, with the tasks in flight and queued at their due times." +
		tracesOf(in.slowest[c.Cell[0]])
}

const maxTraces = 3

func tracesOf(tasks []rundir.SlowTask) string {
	var words []string
	carry := 0
	for i := range tasks {
		t := &tasks[i]
		if t.Trace == "" {
			continue
		}
		if carry++; carry <= maxTraces {
			words = append(words, fmt.Sprintf("%s (%s)", t.Trace,
				text.Seconds(t.Response().Seconds())))
		}
	}
	if words == nil {
		return ""
	}
	which := ""
	if carry > maxTraces {
		which = fmt.Sprintf(", the slowest %d", maxTraces)
	}
	return fmt.Sprintf(" %d of them have a trace id%s: %s.", carry, which, strings.Join(words, ", "))
}

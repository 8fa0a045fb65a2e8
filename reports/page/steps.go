package page

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/poolbench/poolbench/internal/metric"
)

var stepColumns = []Column{
	{Head: "count", Unit: "count", format: func(v float64) string { return fmt.Sprintf("%.0f", v) },
		Hint: "requests of the step, or sessions begun"},
	{Head: "mean response", Unit: metric.MeanResponse,
		Hint: "from when the step was due; of a session the sum of its steps"},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "shed", Unit: metric.Shed, Hint: "by the strategy"},
	{Head: "failed", Unit: metric.Failed, Hint: "by status, check or capture, throttled or abandoned"},
	{Head: "not sent", Unit: metric.Unsent, Hint: "share of the sessions that ended before"},
	{Head: "length", Unit: metric.MeanLength,
		Hint: "of a session, think times included; mean"},
}

// ofStep matches a unit that each step has.
var ofStep = regexp.MustCompile(`^(step(\d+)-([a-z0-9_]+)-)count$`)

func steps(g *Group) *Table {
	if g.Study >= 0 || !hasMetric(g.Cells, metric.Sessions+metric.Count) {
		return nil
	}
	t := &Table{Caption: "Sessions, step by step", Of: "step"}
	for _, col := range stepColumns {
		t.Heads = append(t.Heads, Head{col.Head, col.Hint})
	}
	for _, body := range bodies(g) {
		for _, c := range body.cells {
			b := Body{}
			if len(g.Cells) > 1 {
				if b.Title = row(c).Name; body.title != "" {
					b.Title += ", " + body.title
				}
			}
			add := func(name, prefix string) {
				r := Row{Name: name}
				for _, col := range stepColumns {
					col.Unit = prefix + col.Unit
					r.Cells = append(r.Cells, col.of(c))
				}
				b.Rows = append(b.Rows, r)
			}
			for _, step := range stepsOf(c) {
				add(step.name, step.prefix)
			}
			add("whole session", metric.Sessions)
			t.Bodies = append(t.Bodies, b)
		}
	}
	return t
}

type step struct {
	number       int
	name, prefix string
}

func stepsOf(c *Cell) (all []step) {
	for unit := range c.Cell[0].Values {
		if found := ofStep.FindStringSubmatch(unit); found != nil {
			number, _ := strconv.Atoi(found[2]) // an overflow gives 0, which is no step
			all = append(all, step{number, found[3], found[1]})
		}
	}
	slices.SortFunc(all, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name))
	})
	return all
}

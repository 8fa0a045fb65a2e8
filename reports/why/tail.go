package why

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

type view struct {
	cell   results.Cell
	beside []results.Cell
	unit   string
	value  float64 // explained response
	cannot string
	// shares of the tail response, which add up to 1
	late    float64 // of the generator, and until a task began although a slot was idle
	lag     float64 // the generator's part of late
	turn    float64 // every slot was busy
	uneven  float64 // part of turn that equal services would avoid
	between float64
	target  float64
	service float64 // without the target
	task    costs   // mean per task
	growth  *growth // of services with tasks in service. nil: unknown
}

// No metric used by rules is negative.
func (v *view) known(unit string) (value float64, ok bool) {
	e, ok := v.cell.Estimate(unit)
	return max(e.Mid, 0), ok
}

// changeText compares the metric under another plan with the same tasks: "from 20.0 ms to 15.0 ms",
// or for uncertain values "by −25.0 %".
func (v *view) changeText(unit string, other float64) string {
	share, _ := v.cell.Uncertain(unit)
	if !v.cell.Known(unit) {
		return "by " + text.Change(other/v.valueOrZero(unit))
	}
	return "from " + v.cell.Show(unit) + " to " + text.Uncertain(unit, other, share)
}

func (v *view) has(unit string) bool {
	_, ok := v.known(unit)
	return ok
}

// valueOrZero is for sums and lower bounds. Use known for a metric that is printed, or whose
// absence would increase a share.
func (v *view) valueOrZero(unit string) float64 {
	value, _ := v.known(unit)
	return value
}

func (v *view) clause(format, unit string, text func(float64) string) string {
	value, ok := v.known(unit)
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, text(value))
}

func clauses(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(c string) bool { return c == "" }), "; ")
}

// newView returns false if the runs have no mean response.
func newView(c results.Cell, beside []results.Cell) (*view, bool) {
	v := &view{cell: c, beside: beside, unit: metric.P99Response}
	v.value = v.valueOrZero(v.unit)
	if v.value == 0 || !v.has(metric.TailServiceShare) && v.has(metric.MeanQueued) {
		v.cannot = "There are too few tasks to analyse the slowest 1 %. The analysis is of the " +
			"mean."
		if v.value > 0 {
			v.cannot = "Merged results and soaks have no analysis of the slowest 1 %. The " +
				"analysis is of the mean."
		}
		v.unit = metric.MeanResponse
		v.value = v.valueOrZero(v.unit)
	}
	if v.value <= 0 || !v.parts() {
		return nil, false
	}
	v.growth = v.grows()
	v.task = v.costs()
	return v, true
}

// Older results have only wait and service, whose means replace the tail. parts returns false if
// the runs lack the wait, too.
func (v *view) parts() bool {
	part := func(p metric.Part) float64 { return v.valueOrZero(p.TailShare()) }
	switch mean := v.valueOrZero(metric.MeanResponse); {
	case v.has(metric.TailServiceShare):
	case v.has(metric.MeanQueued):
		part = func(p metric.Part) float64 { return v.valueOrZero(p.Mean()) / mean }
	default:
		v.unit, v.value = metric.MeanResponse, mean
		wait, ok := v.known(metric.MeanWait)
		if !ok || mean == 0 {
			return false
		}
		v.turn = min(wait/mean, 1)
		v.service = 1 - v.turn
		v.setUneven()
		v.cannot = "These results have an older format: it contains the mean wait and service " +
			"time, but not lag, back-off and the time in the target."
		return true
	}
	v.lag, v.between = part(metric.PartLag), part(metric.PartBetween)
	v.target = part(metric.PartTarget)
	v.service = max(part(metric.PartService)-v.target, 0)
	waited := part(metric.PartBlocked) + part(metric.PartQueued)
	v.turn = waited
	if v.hasOracle() {
		v.turn = min(v.valueOrZero(metric.TailTurnShare), waited)
	}
	v.late = v.lag + waited - v.turn
	v.setUneven()
	return true
}

func (v *view) hasOracle() bool {
	return v.has(metric.TailTurnShare) && v.unit == metric.P99Response
}

// setUneven sets the part of the wait for a slot that equal services would avoid. Without the
// oracle it uses Pollaczek and Khinchine: the mean wait is proportional to 1 + C².
func (v *view) setUneven() {
	if even, ok := v.known(metric.TailEvenTurnShare); v.hasOracle() && ok {
		v.uneven = max(v.turn-even, 0)
	} else if c2 := v.c2(); c2 >= unevenUnseen {
		v.uneven = v.turn * c2 / (1 + c2)
	}
}

// c2 is the workload's, or measured from the services.
func (v *view) c2() float64 {
	if c2, ok := v.known(metric.WorkloadC2); ok {
		return c2
	}
	return v.valueOrZero(metric.ServiceC2)
}

func (v *view) ownVariance() float64 {
	seen := v.valueOrZero(metric.ServiceC2)
	if !v.has(metric.WorkloadC2) || seen <= 0 {
		return 1
	}
	return min(v.valueOrZero(metric.WorkloadC2)/seen, 1)
}

func (v *view) key(key string) string { return results.Readable(v.cell[0].Key(key)) }

func (v *view) slots() string { return v.key("limit") }

func (v *view) processors() float64 {
	n := v.cell[0].ConfigValue("gomaxprocs")
	if n == "" {
		n = v.cell[0].Key("gomaxprocs")
	}
	p, _ := strconv.ParseFloat(n, 64) // 0 on errors
	return p
}

func (v *view) serverOnly() bool {
	return v.cell[0].Base() == "Attack" || strings.Contains(v.key("workload"), "http_get:url=")
}

func (v *view) response() string {
	if v.unit == metric.P99Response {
		return "p99"
	}
	return "mean response"
}

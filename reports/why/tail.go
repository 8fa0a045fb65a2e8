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

// A view is what rules see of a scenario.
type view struct {
	cell   results.Cell
	beside []results.Cell
	unit   string
	value  float64 // the response that is explained
	cannot string
	// shares of the response of the tail, 1 together
	late    float64 // of the generator, and until a task began though a slot was idle
	lag     float64 // of late, the generator's
	turn    float64 // every slot was taken
	uneven  float64 // of turn, what would go if all services were the mean
	between float64
	target  float64
	service float64 // without the target
	task    costs   // of a task on average
	growth  *growth // of services with what is in flight; nil: not known
}

// known returns the value of a metric; ok is false if the runs lack it. No metric that rules look
// at is negative.
func (v *view) known(unit string) (value float64, ok bool) {
	e, ok := v.cell.Estimate(unit)
	return max(e.Mid, 0), ok
}

// becomes words a value of the metric that these tasks would have with another plan: "from 20.0 ms
// to 15.0 ms". Where the metric is too uncertain to show, it is the change, which is of the same
// tasks: "by −25.0 %".
func (v *view) becomes(unit string, other float64) string {
	share, _ := v.cell.Uncertain(unit)
	if !v.cell.Known(unit) {
		return "by " + text.Change(other/v.part(unit))
	}
	return "from " + v.cell.Show(unit) + " to " + text.Uncertain(unit, other, share)
}

func (v *view) has(unit string) bool {
	_, ok := v.known(unit)
	return ok
}

// part returns the value of a metric that is added to others or compared with a least value: 0 if
// the runs lack it, so no share of the response is attributed to it. A metric whose absence would
// make a share larger, or that is printed, is asked of known.
func (v *view) part(unit string) float64 {
	value, _ := v.known(unit)
	return value
}

// clause formats a metric for a sentence; "" if the runs lack it.
func (v *view) clause(format, unit string, text func(float64) string) string {
	value, ok := v.known(unit)
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, text(value))
}

// clauses joins those that are not empty.
func clauses(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(c string) bool { return c == "" }), "; ")
}

// look reads the metrics; false where the runs have no mean response.
func look(c results.Cell, beside []results.Cell) (*view, bool) {
	v := &view{cell: c, beside: beside, unit: metric.P99Response}
	v.value = v.part(v.unit)
	if v.value == 0 || !v.has(metric.TailServiceShare) && v.has(metric.MeanQueued) {
		v.cannot = "The tasks are too few to tell what the slowest 1 % are made of: this is of " +
			"the mean."
		if v.value > 0 {
			v.cannot = "What the slowest 1 % are made of is not in these results, as in all that " +
				"are merged or of a soak: this is of the mean."
		}
		v.unit = metric.MeanResponse
		v.value = v.part(v.unit)
	}
	if v.value <= 0 || !v.parts() {
		return nil, false
	}
	v.growth = v.grows()
	v.task = v.costs()
	return v, true
}

// parts splits the response of the tail. Results without parts tell wait and service alone; those
// of the mean stand for the tail then. It is false if the runs lack the wait, too.
func (v *view) parts() bool {
	part := func(p metric.Part) float64 { return v.part(p.TailShare()) }
	switch mean := v.part(metric.MeanResponse); {
	case v.has(metric.TailServiceShare):
	case v.has(metric.MeanQueued):
		part = func(p metric.Part) float64 { return v.part(p.Mean()) / mean }
	default:
		v.unit, v.value = metric.MeanResponse, mean
		wait, ok := v.known(metric.MeanWait)
		if !ok || mean == 0 {
			return false
		}
		v.turn = min(wait/mean, 1)
		v.service = 1 - v.turn
		v.unevenly()
		v.cannot = "These results are of a format without the parts of responses: they tell wait " +
			"and service of the mean, and not lag, back-off and target."
		return true
	}
	v.lag, v.between = part(metric.PartLag), part(metric.PartBetween)
	v.target = part(metric.PartTarget)
	v.service = max(part(metric.PartService)-v.target, 0)
	waited := part(metric.PartBlocked) + part(metric.PartQueued)
	v.turn = waited
	if v.oracle() {
		v.turn = min(v.part(metric.TailTurnShare), waited)
	}
	v.late = v.lag + waited - v.turn
	v.unevenly()
	return true
}

// oracle reports whether the run knows for which waits every slot was taken.
func (v *view) oracle() bool {
	return v.has(metric.TailTurnShare) && v.unit == metric.P99Response
}

// unevenly sets how much of the wait for a slot goes if services are even. Where the oracle does
// not apply it is by Pollaczek and Khinchine: the mean wait is in proportion to 1 + C².
func (v *view) unevenly() {
	if even, ok := v.known(metric.TailEvenTurnShare); v.oracle() && ok {
		v.uneven = max(v.turn-even, 0)
	} else if c2 := v.c2(); c2 >= unevenUnseen {
		v.uneven = v.turn * c2 / (1 + c2)
	}
}

// c2 is the squared coefficient of variation of the work: by the workload's definition, else of the
// services.
func (v *view) c2() float64 {
	if c2, ok := v.known(metric.WorkloadC2); ok {
		return c2
	}
	return v.part(metric.ServiceC2)
}

// ownVariance is the share of the variance of services that is in the work.
func (v *view) ownVariance() float64 {
	seen := v.part(metric.ServiceC2)
	if !v.has(metric.WorkloadC2) || seen <= 0 {
		return 1
	}
	return min(v.part(metric.WorkloadC2)/seen, 1)
}

func (v *view) key(key string) string { return results.Readable(v.cell[0].Key(key)) }

func (v *view) slots() string { return v.key("limit") }

// processors is GOMAXPROCS; 0 where the file does not say.
func (v *view) processors() float64 {
	n := v.cell[0].ConfigValue("gomaxprocs")
	if n == "" {
		n = v.cell[0].Key("gomaxprocs")
	}
	p, _ := strconv.ParseFloat(n, 64) // else 0
	return p
}

// outside reports whether only the server knows what a service is made of.
func (v *view) outside() bool {
	return v.cell[0].Base() == "Attack" || strings.Contains(v.key("workload"), "http_get:url=")
}

func (v *view) response() string {
	if v.unit == metric.P99Response {
		return "p99"
	}
	return "mean response"
}

package studies

import (
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// Under overload, tasks that are served in order start just before their callers give up, and their
// work is wasted if the remaining patience is too short. A case meets the claim if, at load 1.3, a
// pool with waiting callers completes at least 95 % as many tasks as a pool that sheds.
var _ = register(Study{
	Name:     "patience",
	Question: "how many tasks does a service complete when callers give up?",
	Claim:    "a timeout at the caller protects the service",
	Count:    [3]int{6, 12, 40},
	Budget:   8 * time.Second,
	Apart:    true,
	Compared: slices.Concat([]string{pooled, shedding}, newestFirst),
	With: each(func(_ Size, name string) (cells []bench.Scenario) {
		for _, c := range patienceCases {
			cells = append(cells, c.loads(name)...)
		}
		return cells
	}),
	Decides: []string{metric.Goodput, metric.WastedService},
	Advice: evidence.Sentences{
		Holds: "timeouts at the callers are enough",
		DoesNotHold: "let the service shed, or serve the newest tasks first: a timeout at the " +
			"caller is not enough",
		Depends: "let the service shed, or serve the newest tasks first; a timeout at the caller " +
			"is enough only if tasks or timeouts vary much",
	},
	Judge: judgePatience,
	Draw:  []drawing{drawPatienceEqual, drawPatienceTheory},
})

// The second target is as long as the patience, which makes CoDel last in, first out.
var newestFirst = []string{"codel_lifo", "codel_lifo:target=100ms"}

const (
	patienceTasks = 5_000
	patienceQueue = 16 // slots, if the strategy sheds: four mean services of work
	patienceMean  = 10 * time.Millisecond
	patienceTime  = 100 * time.Millisecond // mean patience
	patienceLoad  = 1.3                    // overload of the verdict
	patienceKept  = 0.95
)

var patienceLoads = []float64{0.7, 1, patienceLoad, 2}

type patienceCase struct {
	name     string // used in sentences
	work     string
	patience dist.Dist
}

var patienceCases = []patienceCase{
	{"equal tasks and timeouts", fmt.Sprintf("constant:mean=%v", patienceMean),
		dist.Constant{Value: patienceTime}},
	{"exponential tasks and equal timeouts", fmt.Sprintf("exponential:mean=%v", patienceMean),
		dist.Constant{Value: patienceTime}},
	{"exponential tasks and timeouts", fmt.Sprintf("exponential:mean=%v", patienceMean),
		dist.Exponential{M: float64(patienceTime)}},
}

func (c patienceCase) cell(name string, load float64) bench.Scenario {
	sc := scenario(name, c.work, poisson(load), bench.Stop{Tasks: patienceTasks, Warmup: 0.2})
	sc.Patience = c.patience
	if sc.Strategy.Spec.Sheds && sc.Strategy.Spec.UsesQueue {
		sc.Queue = patienceQueue
	}
	return sc
}

func (c patienceCase) loads(name string) (cells []bench.Scenario) {
	for _, load := range patienceLoads {
		cells = append(cells, c.cell(name, load))
	}
	return cells
}

func judgePatience(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "tasks and timeouts", More: []string{"pool", "wasted", "shedding",
		"wasted"}, Number: "pool ÷ shedding", Format: evidence.Interval.Factor}
	for _, c := range patienceCases {
		var more []string
		for _, name := range []string{pooled, shedding} {
			sc := c.cell(name, patienceLoad)
			more = append(more, m.MedianText(sc, metric.Goodput, text.Short)+"/s",
				m.MeanText(sc, metric.WastedService, text.ShortShare))
		}
		r.AtLeast(c.name, m.Ratio(c.cell(pooled, patienceLoad), c.cell(shedding, patienceLoad),
			metric.Goodput), patienceKept, more...)
	}
	as := fmt.Sprintf("as many tasks as shedding does at load %v, within %s", patienceLoad,
		text.ShortShare(1-patienceKept))
	return r.Find(evidence.Sentences{
		Holds:       "a pool whose callers wait and give up completes " + as,
		DoesNotHold: "a pool whose callers wait and give up does not complete " + as,
		Depends:     "on the tasks and timeouts",
	}, "whether a pool whose callers wait and give up completes "+as)
}

func drawPatienceEqual(m *evidence.Measured) evidence.Figure {
	return patienceFigure(m, "patience", patienceCases[0], nil)
}

// In Erlang A, a task leaves its slot when it is done or its caller gives up.
func drawPatienceTheory(m *evidence.Measured) evidence.Figure {
	mean, patience := patienceMean.Seconds(), patienceTime.Seconds()
	inSlot := 1 / (1/mean + 1/patience)
	wasted := inSlot / patience
	return patienceFigure(m, "patience-theory", patienceCases[2],
		func(load float64) (goodput, waste float64) {
			a := theory.Must(theory.MMkM(theory.Pool{Rate: load * limit / mean, MeanService: inSlot,
				Limit: limit}, patience))
			return a.Throughput * (1 - wasted), wasted
		})
}

func patienceFigure(
	m *evidence.Measured, name string, c patienceCase,
	exact func(load float64) (goodput, waste float64),
) evidence.Figure {
	x := charts.Axis{Label: "load (1 is the capacity)", Name: "load",
		Marks: []float64{0.7, 1, 1.3, 2}}
	good := evidence.Plane("goodput", x, perSecond)
	waste := evidence.Plane("wasted work", x, shares("share of the service time", 0))
	for _, cells := range m.Sweeps(slices.Concat([]string{pooled, shedding}, newestFirst),
		c.loads) {
		a := evidence.MedianCurve(m, patienceLoads, cells, metric.Goodput)
		b := evidence.MedianCurve(m, patienceLoads, cells, metric.WastedService)
		good.Add(a)
		waste.Add(b)
		if a.Name == pooled && len(a.X) > 0 && exact != nil {
			steps := evidence.Steps(0.7, 2, 0.05)
			good.Add(evidence.Exact(a, steps, func(load float64) float64 {
				goodput, _ := exact(load)
				return goodput
			}))
			waste.Add(evidence.Exact(b, steps, func(load float64) float64 {
				_, waste := exact(load)
				return waste
			}))
		}
	}
	capacity := limit / patienceMean.Seconds()
	good.Levels = []charts.Level{{Name: fmt.Sprintf("capacity %v/s", capacity), Y: capacity}}
	caption := []string{"If tasks are served in order, they start just before their callers give " +
		"up."}
	if exact != nil {
		caption = []string{fmt.Sprintf("Band: exact for %s (Erlang A).", pooled)}
	}
	return evidence.Figure{
		Name:  name,
		Title: "Callers that give up: " + c.name,
		Subtitle: fmt.Sprintf("%d tasks of %s, patience %s on average; %d workers, queues of %d "+
			"where tasks are shed", patienceTasks, text.Duration(patienceMean),
			text.Duration(patienceTime), limit, patienceQueue),
		Caption: append(caption, m.Medians(c.loads(pooled))),
	}.Planes(good, waste)
}

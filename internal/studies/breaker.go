package studies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The services fail for ten seconds. The caller's cost is the share of tasks not done within a
// second. The callee's cost is the number of calls without a result. A case meets the claim if the
// breaker removes at least a tenth of the caller's cost, and a larger share of the callee's.
var _ = register(Study{
	Name: "breaker",
	Question: "how much does a circuit breaker save the caller and the callee while a service " +
		"fails?",
	Claim:  "a breaker saves the caller; it saves the callee more",
	Count:  [3]int{5, 10, 30},
	Budget: 5 * time.Second,
	Apart:  true,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, t := range troubles {
			cells = append(cells, t.cell(""), t.cell(breakerPart))
		}
		return cells
	},
	Decides: []string{metric.Goodput, metric.RefusedCalls},
	Advice: evidence.Sentences{
		Holds:       "put a breaker before every service you call",
		DoesNotHold: "a breaker saves nobody here",
		Depends: "use a breaker if failures are slow, or if the service works for callers that " +
			"have left; not if it refuses at once",
	},
	Judge: judgeBreaker,
	Draw:  []drawing{drawBreaker},
})

const (
	breakerPart  = "circuit_breaker:window=20,open=1s,trials=4+"
	breakerSoon  = time.Second
	breakerSaves = 0.9 // largest share of the caller's cost that may remain
	breakerRate  = 240 // tasks per second: 0.6 of the capacity
	breakerTrial = 10 * time.Second
)

type trouble struct {
	name, said, client, target, work string
	load                             bench.Load
	tasks                            int
	timeout                          time.Duration
}

// inPulse returns a load of ten seconds at a multiple of the capacity, 400 calls/s.
func inPulse(load float64) (bench.Load, int) {
	stages := fmt.Sprintf("stages:unit=rate,at=200x20s_%vx%v_200x30s", 400*load, breakerTrial)
	return loadOf(stages, 0),
		int(200*50 + 400*load*breakerTrial.Seconds())
}

var troubles = func() []trouble {
	steady := bench.Load{Arrival: arrival("poisson")[0], PerSecond: breakerRate}
	overload, overloaded := inPulse(1.3)
	crowd, crowded := inPulse(3)
	return []trouble{
		{"stands still", "a service that freezes", "%sworker_pool",
			"freeze:period=60s,stop=10s", "exponential:mean=10ms", steady, 90 * breakerRate,
			200 * time.Millisecond},
		{"works for callers that left", "a service that works for callers that have left",
			"retry:attempts=4,base=100ms+%sunbounded", "deaf_server", "constant:mean=1us",
			overload, overloaded, 0},
		{"quota used up", "a service whose quota is used up", "%sworker_pool",
			fmt.Sprintf("fixed_window:window=40s,limit=%d", 30*breakerRate),
			"exponential:mean=10ms", steady, 60 * breakerRate, 0},
		{"refuses the excess", "a service that refuses only the excess", "%sunbounded",
			fmt.Sprintf("concurrency_cap:limit=%d", limit), "exponential:mean=10ms", crowd, crowded,
			0},
	}
}()

func (t trouble) cell(part string) bench.Scenario {
	sc := scenario(fmt.Sprintf(t.client, part), t.work, t.load, bench.Stop{Tasks: t.tasks})
	sc.Target, sc.Deadline, sc.Timeout = target(t.target)[0], breakerSoon, t.timeout
	return sc
}

func lateShare(r evidence.Run) float64 {
	return 1 - r(metric.Goodput)/r(metric.Throughput)*(1-evidence.Lost(r))
}

func (t trouble) inVain(r evidence.Run) float64 {
	calls := r(metric.AdmittedCalls) + r(metric.RefusedCalls) + r(metric.AbandonedCalls)
	return calls/float64(t.tasks) - (1 - evidence.Lost(r))
}

func judgeBreaker(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "without → with breaker", More: []string{
		"done in " + text.Duration(breakerSoon), "late/lost", "in vain a task", "calls"}}
	for _, t := range troubles {
		with, without := t.cell(breakerPart), t.cell("")
		ratio := func(of func(evidence.Run) float64) string {
			return "×" + evidence.Short(evidence.OfProduct(m.Pairs(with, without,
				func(a, b evidence.Run) float64 { return of(a) / of(b) })), text.Short)
		}
		change := func(number func(evidence.Run) float64, write func(float64) string) string {
			return evidence.Short(evidence.OfMedian(m.Numbers(without, number)), write) + " → " +
				evidence.Short(evidence.OfMedian(m.Numbers(with, number)), write)
		}
		both := evidence.OfProduct(m.Pairs(with, without, func(a, b evidence.Run) float64 {
			late := lateShare(a) / lateShare(b)
			return max(late/breakerSaves, t.inVain(a)/t.inVain(b)/late)
		}))
		r.AtMost(t.name, both, 1, change(func(r evidence.Run) float64 { return 1 - lateShare(r) },
			text.ShortShare), ratio(lateShare), change(t.inVain, text.Short), ratio(t.inVain))
	}
	return r.Find(evidence.Sentences{
		Holds: "a breaker reduces the late and lost tasks of the caller, and even more the calls " +
			"in vain of the service",
		DoesNotHold: "a breaker does not reduce the late and lost tasks of the caller by a tenth " +
			"and the calls in vain even more",
		Depends: "on how the service fails",
	}, "savings by a breaker")
}

func drawBreaker(m *evidence.Measured) evidence.Figure {
	panels := []charts.RowPanel{
		{Title: "caller: late or lost", X: shares("share of all tasks", 0)},
		{Title: "of them lost", X: shares("share of all tasks", 0)},
		{Title: "callee: calls in vain", X: evidence.Log("for each task", charts.Count)},
	}
	var rows []string
	var cells []bench.Scenario
	for _, t := range troubles {
		rows, cells = append(rows, t.name), append(cells, t.cell(""))
	}
	for i, part := range []string{"", breakerPart} {
		evidence.AddRows(panels, []string{"without a breaker", "with one"}[i], i, len(rows),
			func(row int) []evidence.Interval {
				t := troubles[row]
				of := func(number func(evidence.Run) float64) evidence.Interval {
					return evidence.OfMean(m.Numbers(t.cell(part), number))
				}
				return []evidence.Interval{of(lateShare), of(evidence.Lost), of(t.inVain)}
			})
	}
	return evidence.Figure{
		Name:  "breaker",
		Title: "Effect of a circuit breaker while a service fails for ten seconds",
		Subtitle: fmt.Sprintf("in a run of 60 s, or of 90 s if the service freezes; late is "+
			"later than %s; an open circuit is tried after 1 s",
			text.Duration(breakerSoon)),
		Caption: []string{
			"A breaker loses tasks that would have been late, so later tasks do not wait behind " +
				"them.",
			"A call in vain was made but did not complete a task.",
			m.Means(cells),
		},
	}.Rows(rows, panels...)
}

package studies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The study varies the squared coefficient of variation of the task times, C². The claim holds if
// the pool completes at least 5 % fewer tasks per second at the highest variance than with tasks of
// equal length. The last tasks of a short run cost one or two percent.
var _ = register(Study{
	Name: "spread",
	Question: "how does variance of the task times affect the throughput, at the same load and " +
		"mean?",
	Claim:    "task times that vary more lower the throughput of a pool",
	Count:    [3]int{3, 3, 10},
	Budget:   3 * time.Second,
	Compared: familiar,
	With:     spreadSweep,
	Decides:  []string{metric.Throughput, metric.Offered},
	Advice: evidence.Sentences{
		Holds:       "plan for less throughput if task times vary",
		DoesNotHold: "below saturation plan throughput by the mean task time alone",
		Depends:     "measure the throughput with your own task times",
	},
	Judge: judgeSpread,
	Draw:  []drawing{drawSpread},
})

var spreadWork = []string{"constant:mean=10ms", "exponential:mean=10ms", "hyperexp:mean=10ms,c2=4",
	"hyperexp:mean=10ms,c2=16", "hyperexp:mean=10ms,c2=64"}

var spreadC2 = []float64{0, 1, 4, 16, 64}

const (
	spreadLoad = 0.75
	spreadLoss = 0.05
	spreadMean = 0.01
)

func spreadSweep(size Size, of ...string) []bench.Scenario {
	cells := lossy(bench.Matrix{
		Strategies: strategy(of...),
		Workloads:  workload(spreadWork...),
		Limits:     []int{limit},
		Loads:      []float64{spreadLoad},
		Stop:       bench.Stop{Tasks: [...]int{10_000, 100_000, 1_000_000}[size], Warmup: 0.1},
		Clock:      bench.Virtual,
	})
	if size == Quick {
		for i := range cells {
			if cells[i].Workload.String() == workload(spreadWork[len(spreadWork)-1])[0].String() {
				// The highest variance decides the verdict, and its last tasks take longer.
				cells[i].Stop.Tasks *= 4
			}
		}
	}
	return cells
}

func spreadOf(name string) []bench.Scenario { return spreadSweep(Quick, name) }

func completed(r evidence.Run) float64 { return r(metric.Throughput) / r(metric.Offered) }

func judgeSpread(m *evidence.Measured) decide.Finding {
	cells, shed := spreadOf(pooled), spreadOf(shedding)
	r := evidence.Ruling{Of: "C²", More: []string{"completed", "p99 response",
		"mean wait", "shed, no queue"}, Number: "throughput lost",
		Format: evidence.Interval.Percents}
	last := len(cells) - 1
	for i, sc := range cells {
		add := r.Show
		if i == last {
			add = func(name string, lost evidence.Interval, more ...string) {
				r.AtLeast(name, lost, spreadLoss, more...)
			}
		}
		add(text.Short(spreadC2[i]), evidence.OfMean(m.Pairs(cells[0], sc,
			func(one, other evidence.Run) float64 { return 1 - completed(other)/completed(one) })),
			evidence.Short(evidence.OfMean(m.Numbers(sc, completed)), text.ShortShare),
			m.MedianText(sc, p99Response, text.ShortSeconds),
			m.MedianText(sc, metric.MeanWait, text.ShortSeconds),
			m.MedianText(shed[i], metric.Shed, text.ShortShare))
	}
	loses := fmt.Sprintf("at load %v, task times of C² = %v lower the throughput of %s ", spreadLoad,
		spreadC2[last], pooled)
	f := r.Find(evidence.Sentences{
		Holds:       loses + "by more than " + text.ShortShare(spreadLoss),
		DoesNotHold: loses + "by less than " + text.ShortShare(spreadLoss),
	}, "whether varying task times lower the throughput")
	if m.Has(shed[0]) {
		f.Add("theory (Erlang B): without a queue %s are shed at any C²", text.ShortShare(spreadLost()))
	}
	return f
}

func drawSpread(m *evidence.Measured) evidence.Figure {
	x := evidence.LogZero("C²", "C² of the task times", spreadC2)
	slow := evidence.Plane("p99 response", x, responses("of those completed"))
	done := evidence.Plane("throughput", x, shares("completed ÷ arrived", 0, 1))
	for _, cells := range m.Sweeps(familiar, spreadOf) {
		p99 := evidence.MedianCurve(m, spreadC2, cells, p99Response)
		share := evidence.Curve(m.Named(cells[0]), spreadC2, cells,
			func(sc bench.Scenario) evidence.Interval {
				return evidence.OfMedian(m.Numbers(sc, completed))
			})
		if len(share.X) == 0 {
			continue
		}
		slow.Series, done.Series = append(slow.Series, p99), append(done.Series, share)
		switch p99.Name {
		case pooled:
			slow.Add(spreadExact(p99)...)
		case shedding:
			done.Add(evidence.Exact(share, []float64{0, spreadC2[len(spreadC2)-1]},
				func(float64) float64 { return 1 - spreadLost() }))
		}
	}
	return evidence.Figure{
		Name:  "spread",
		Title: "Cost of task times that vary: response and throughput",
		Subtitle: fmt.Sprintf("Load %v, tasks of %s on average, Poisson arrivals, limit %d",
			spreadLoad, charts.Seconds(spreadMean), limit),
		Caption: []string{
			"Without a queue a response is a task's own time; at the widest spread fewer than " +
				"one task in a hundred is long, so that the p99 is that of a short one. In a " +
				"queue all wait for the long ones.",
			fmt.Sprintf("Bands: exact, M/D/%d, M/M/%d and M/H₂/%d for the pool; Erlang B, "+
				"which holds for any task times, for what sheds. Between C² = 0 and 1 no band "+
				"is drawn.", limit, limit, limit),
			m.Medians(spreadSweep(Quick, familiar...)),
		},
	}.Planes(slow, done)
}

var spreadPool = theory.Pool{Rate: spreadLoad * limit / spreadMean, MeanService: spreadMean,
	Limit: limit}

// The curve is a dot for tasks of equal length, and a line from exponential tasks upwards.
func spreadExact(beside charts.Series) []charts.Series {
	p99 := func(c2 float64) float64 { return theory.Must(theory.Spread(spreadPool, c2)).P99() }
	return []charts.Series{evidence.Exact(beside, []float64{0}, p99),
		evidence.Exact(beside, evidence.Doublings(1, spreadC2[len(spreadC2)-1]), p99)}
}

func spreadLost() float64 { return theory.Must(theory.MGkk(spreadPool)).ShedProb }

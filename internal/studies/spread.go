package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// spread varies the squared coefficient of variation of the task times, C², from 0 to 64, at a
// constant load and mean.
//
// The claim holds if the pool completes at least 5 % fewer tasks per second at the highest variance
// than with tasks of equal length. A run ends with its last task, so a short run loses one or two
// percent to its final queue, which is not lost throughput.
var _ = register(Study{
	Name:     "spread",
	Question: "what does variance of the task times cost, at the same load and the same mean?",
	Claim:    "task times that vary more lower the throughput of a pool",
	Count:    [3]int{3, 3, 10},
	Budget:   3 * time.Second,
	Compared: familiar,
	With:     spreadSweep,
	Decides:  []string{metric.Throughput, metric.Offered},
	Advice: evidence.Sentences{
		Holds:       "plan for less throughput where task times vary",
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
				// the highest variance decides the verdict, and its final queue is longer
				cells[i].Stop.Tasks *= 4
			}
		}
	}
	return cells
}

func spreadOf(name string) []bench.Scenario { return spreadSweep(Quick, name) }

func completed(r evidence.Run) float64 { return r(metric.Throughput) / r(metric.Offered) }

func judgeSpread(m *evidence.Measured) decide.Finding {
	cells := spreadOf(pooled)
	one, widest := cells[0], cells[len(cells)-1]
	from, to := evidence.OfMean(m.Of(one, completed)), evidence.OfMean(m.Of(widest, completed))
	if math.IsNaN(from.Mid) || math.IsNaN(to.Mid) {
		return evidence.Missing("%s was not measured at the smallest and at the widest spread",
			pooled)
	}
	lost := evidence.OfMean(m.Pairs(one, widest, func(one, widest evidence.Run) float64 {
		return 1 - completed(widest)/completed(one)
	}))
	most := spreadC2[len(spreadC2)-1]
	var r evidence.Ruling
	r.AtLeast(lost, spreadLoss, "%s less at C² = %v (%s of what arrives) than at C² = 0 (%s)",
		lost.Percents(), most, text.ShortShare(to.Mid), text.ShortShare(from.Mid))
	completes := fmt.Sprintf("at load %v %s completes %s", spreadLoad, pooled, r.Cases[0].Said)
	f := r.Find(evidence.Sentences{Holds: completes, DoesNotHold: fmt.Sprintf(
		"%s, where %s would count", completes, text.ShortShare(spreadLoss))},
		"whether %s at load %v completes %s less", pooled, spreadLoad,
		text.ShortShare(spreadLoss))
	time := func(sc bench.Scenario, unit string) string {
		return text.ShortSeconds(m.Median(sc, unit).Mid)
	}
	f.Add("the p99 response is %s at C² = 0 and %s at C² = %v, the mean wait %s and %s",
		time(one, p99Response), time(widest, p99Response), most,
		time(one, metric.MeanWait), time(widest, metric.MeanWait))
	if shed := spreadOf(shedding); m.Has(shed[0]) && m.Has(shed[len(shed)-1]) {
		f.Add("without a queue %s sheds %s of the tasks at C² = 0 and %s at C² = %v (theory: "+
			"%s at any C²)", shedding, text.ShortShare(m.Median(shed[0], metric.Shed).Mid),
			text.ShortShare(m.Median(shed[len(shed)-1], metric.Shed).Mid), most,
			text.ShortShare(spreadLost()))
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
				return evidence.OfMedian(m.Of(sc, completed))
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
		Title: "What task times that vary cost: response and throughput",
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

// spreadExact returns the exact p99 of a pool with an unlimited queue: a dot for tasks of equal
// length, and a line from exponential tasks upwards.
func spreadExact(beside charts.Series) []charts.Series {
	p99 := func(c2 float64) float64 { return theory.Must(theory.Spread(spreadPool, c2)).P99() }
	return []charts.Series{evidence.Exact(beside, []float64{0}, p99),
		evidence.Exact(beside, evidence.Doublings(1, spreadC2[len(spreadC2)-1]), p99)}
}

func spreadLost() float64 { return theory.Must(theory.MGkk(spreadPool)).ShedProb }

package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// spread holds load and mean fixed and lets the task times spread: C² = 0, 1, 4, 16 and 64.
//
// The claim holds where the pool completes at least 5 % fewer tasks a second at the widest spread than with tasks of one length, and does
// not hold below: what throughput there is, the arrivals make. A run counts until its last task has ended, so that one of few tasks loses a
// percent or two to the queue that it ends with, which is no throughput lost. What spread does to the response is said beside.
var _ = register(Study{
	Name:     "spread",
	Question: "what does variance of the task times cost, at the same load and the same mean?",
	Claim:    "task times that vary more lower the throughput of a pool",
	Count:    [3]int{2, 3, 10},
	Cells:    func(size Size) []bench.Scenario { return spreadSweep(size, familiar()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return spreadSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeSpread,
	Draw:  drawSpread,
})

var spreadWork = []string{"constant:mean=10ms", "exponential:mean=10ms", "hyperexp:mean=10ms,c2=4", "hyperexp:mean=10ms,c2=16", "hyperexp:mean=10ms,c2=64"}

// spreadC2 are theirs, in the same order.
var spreadC2 = []float64{0, 1, 4, 16, 64}

const (
	spreadLoad = 0.75
	spreadMean = 0.01 // seconds
)

func spreadSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload(spreadWork...),
		Limits:     []int{limit},
		Loads:      []float64{spreadLoad},
		Stop:       bench.Stop{Tasks: [...]int{40_000, 100_000, 1_000_000}[size], Warmup: 0.1},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

// keptUp is the share of what arrives that completes: an open loop completes what arrives, and what arrived differs by chance.
func keptUp(m *measured, sc bench.Scenario) interval { return ofMean(keptUps(m, sc)) }

func keptUps(m *measured, sc bench.Scenario) []float64 {
	return m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 { return value(0, "ops/s") / value(0, "offered-ops/s") })
}

func judgeSpread(m *measured) Finding {
	cells := spreadSweep(Quick, strategy(pooled))
	one, widest := cells[0], cells[len(cells)-1]
	from, to := keptUp(m, one), keptUp(m, widest)
	if math.IsNaN(from.mid) || math.IsNaN(to.mid) {
		return undecided("%s was not measured at the smallest and at the widest spread", pooled)
	}
	most := spreadC2[len(spreadC2)-1]
	f := found(DoesNotHold, "at load %v %s completes %s of what arrives at C² = %v, and %s at C² = 0", spreadLoad, pooled, percent(to.mid), most, percent(from.mid))
	if 1-to.mid/from.mid >= 0.05 {
		f.Verdict = Holds
	}
	time := func(sc bench.Scenario, unit string) string { return evilTime(m.mean(sc, unit).mid) }
	f.add("it is the response that pays: the p99 is %s at C² = 0 and %s at C² = %v, the mean wait %s and %s",
		time(one, "p99-response-sec"), time(widest, "p99-response-sec"), most, time(one, "mean-wait-sec"), time(widest, "mean-wait-sec"))
	if shed := spreadSweep(Quick, strategy(shedding)); m.has(shed[0]) && m.has(shed[len(shed)-1]) {
		f.add("a pool that sheds when it is full refuses %s of the tasks at C² = 0 and %s at C² = %v: without a queue, only the mean counts",
			percent(m.mean(shed[0], "shed/op").mid), percent(m.mean(shed[len(shed)-1], "shed/op").mid), most)
	}
	return f
}

func drawSpread(m *measured) ([]reports.Figure, error) {
	x := charts.Axis{Label: "C² of the task times (log scale)", Log: true, Zero: true, Name: "C²", Marks: spreadC2}
	slow := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x, Y: charts.Axis{Label: "of those completed (log scale)", Log: true, Format: charts.Seconds}}
	done := charts.Plane{Panel: charts.Panel{Title: "throughput"}, X: x, Y: charts.Axis{Label: "completed ÷ arrived", Format: percent, Reach: []float64{0, 1}}}
	known := names(familiar())
	for _, name := range append(known, m.others(known, func(name string) bench.Scenario { return spreadSweep(Quick, strategy(name))[0] })...) {
		p99, share := charts.Series{Name: name}, charts.Series{Name: name}
		for i, sc := range spreadSweep(Quick, strategy(name)) {
			if !m.has(sc) {
				continue
			}
			p99.Style, share.Style = m.style(sc), m.style(sc)
			if in := ofMedian(m.values(sc, "p99-response-sec")); !math.IsNaN(in.mid) {
				add(&p99, spreadC2[i], in)
			}
			add(&share, spreadC2[i], ofMedian(keptUps(m, sc)))
		}
		if len(share.X) == 0 {
			continue
		}
		slow.Series, done.Series = append(slow.Series, p99), append(done.Series, share)
		switch name {
		case pooled:
			slow.Series = append(slow.Series, spreadExact(share.Style)...)
		case shedding:
			kept := 1 - spreadLost()
			done.Series = append(done.Series, charts.Series{Name: name, Style: share.Style, Theory: true, X: []float64{0, spreadC2[len(spreadC2)-1]}, Y: []float64{kept, kept}})
		}
	}
	if len(done.Series) == 0 {
		return nil, &charts.EmptyError{Chart: "spread"}
	}
	c, err := charts.Planes("Task times that vary cost response, and no throughput", []charts.Plane{slow, done})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("Load %v, tasks of %s in the mean, Poisson arrivals, limit %d", spreadLoad, charts.Seconds(spreadMean), limit)
	return []reports.Figure{{Name: "spread", Chart: c, Caption: strings.Join([]string{
		"Without a queue a response is a task's own time; at the widest spread the long tasks are fewer than one in a hundred, and its p99 is that of a short one. In a queue all wait for the long ones.",
		fmt.Sprintf("Bands: exact, M/D/%d, M/M/%d and M/H₂/%d for the pool, Erlang B, which holds for any task times, for what refuses. Between C² = 0 and 1 the tasks have no distribution of ours, and no band.", limit, limit, limit),
		m.medians(spreadSweep(Quick, familiar())),
	}, " ")}}, nil
}

// spreadExact are the bands of a pool in whose queue everything waits: a dot for tasks of one length, and a line from exponential ones on.
func spreadExact(style int) []charts.Series {
	dot := charts.Series{Name: pooled, Style: style, Theory: true}
	line := dot
	pool := theory.Pool{Rate: spreadLoad * limit / spreadMean, MeanService: spreadMean, Limit: limit}
	put := func(s *charts.Series, c2 float64, a *theory.Answer, err error) {
		if err != nil {
			panic(err) // of numbers that are written here
		}
		if t, ok := a.ResponseQuantile(0.99); ok {
			s.X, s.Y = append(s.X, c2), append(s.Y, t)
		}
	}
	a, err := theory.MDk(pool)
	put(&dot, 0, a, err)
	a, err = theory.MMk(pool)
	put(&line, 1, a, err)
	for c2 := math.Sqrt2; c2 <= spreadC2[len(spreadC2)-1]*1.01; c2 *= math.Sqrt2 {
		h, err := theory.BalancedH2(spreadMean, c2)
		if err != nil {
			panic(err)
		}
		a, err := theory.MH2k(pool.Rate, h, limit)
		put(&line, c2, a, err)
	}
	return []charts.Series{dot, line}
}

// spreadLost is the share that a pool without a queue refuses, whatever the distribution of the task times.
func spreadLost() float64 {
	a, err := theory.MGkk(theory.Pool{Rate: spreadLoad * limit / spreadMean, MeanService: spreadMean, Limit: limit})
	if err != nil {
		panic(err)
	}
	return a.ShedProb
}

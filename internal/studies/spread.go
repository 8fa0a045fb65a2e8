package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/strategies"
)

// spread holds load and mean fixed and lets the task times spread: C² = 0, 1, 4, 16 and 64.
//
// The claim holds where the pool completes at least 5 % fewer tasks a second at the widest spread
// than with tasks of one length, and does not hold below, by the interval over the repetitions:
// what throughput there is, the arrivals make. A run counts until its last task has ended, so that
// one of few tasks loses a percent or two to the queue that it ends with, which is no throughput
// lost. What spread does to the response is said beside.
var _ = register(Study{
	Name:     "spread",
	Question: "what does variance of the task times cost, at the same load and the same mean?",
	Claim:    "task times that vary more lower the throughput of a pool",
	Count:    [3]int{3, 3, 10},
	Budget:   3 * time.Second,
	Cells:    func(size Size) []bench.Scenario { return spreadSweep(size, familiar()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return spreadSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeSpread,
	Draw:  []drawing{drawSpread},
})

var spreadWork = []string{"constant:mean=10ms", "exponential:mean=10ms", "hyperexp:mean=10ms,c2=4",
	"hyperexp:mean=10ms,c2=16", "hyperexp:mean=10ms,c2=64"}

// spreadC2 are theirs, in the same order.
var spreadC2 = []float64{0, 1, 4, 16, 64}

const (
	spreadLoad = 0.75
	spreadLoss = 0.05 // of the throughput
	spreadMean = 0.01 // seconds
)

func spreadSweep(size Size, of []strategies.Variant) []bench.Scenario {
	cells := lossy(bench.Matrix{
		Strategies: of,
		Workloads:  workload(spreadWork...),
		Limits:     []int{limit},
		Loads:      []float64{spreadLoad},
		Stop:       bench.Stop{Tasks: [...]int{10_000, 100_000, 1_000_000}[size], Warmup: 0.1},
		Clock:      bench.Virtual,
	})
	if size == Quick {
		for i := range cells {
			if cells[i].Workload.String() == workload(spreadWork[len(spreadWork)-1])[0].String() {
				// by the widest spread the verdict is decided, and the queue that a run ends with
				// counts for more
				cells[i].Stop.Tasks *= 4
			}
		}
	}
	return cells
}

// keptUp is the share of what arrives that completes: an open loop completes what arrives, and what
// arrived differs by chance.
func keptUp(m *evidence.Measured, sc bench.Scenario) evidence.Interval {
	return evidence.OfMean(keptUps(m, sc))
}

func keptUps(m *evidence.Measured, sc bench.Scenario) []float64 {
	return m.Of(sc, func(value func(string) float64) float64 {
		return value("ops/s") / value("offered-ops/s")
	})
}

func judgeSpread(m *evidence.Measured) finding.Finding {
	cells := spreadSweep(Quick, strategy(pooled))
	one, widest := cells[0], cells[len(cells)-1]
	from, to := keptUp(m, one), keptUp(m, widest)
	if math.IsNaN(from.Mid) || math.IsNaN(to.Mid) {
		return evidence.Missing("%s was not measured at the smallest and at the widest spread",
			pooled)
	}
	lost := evidence.OfMean(m.Each([]bench.Scenario{one, widest},
		func(value func(int, string) float64) float64 {
			kept := func(cell int) float64 {
				return value(cell, "ops/s") / value(cell, "offered-ops/s")
			}
			return 1 - kept(1)/kept(0)
		}))
	most := spreadC2[len(spreadC2)-1]
	var r evidence.Ruling
	r.AtLeast(lost, spreadLoss, "%s less at C² = %v (%s of what arrives) than at C² = 0 (%s)",
		lost.Percents(), most, words.Percent(to.Mid), words.Percent(from.Mid))
	f := r.Untold("whether %s at load %v completes %s less", pooled, spreadLoad,
		words.Percent(spreadLoss))
	switch v := r.Verdict(); v {
	case finding.Holds:
		f = evidence.Found(v, "at load %v %s completes %s", spreadLoad, pooled, r.Cases[0].Said)
	case finding.DoesNotHold:
		f = evidence.Found(v, "at load %v %s completes %s, where %s would count", spreadLoad,
			pooled,
			r.Cases[0].Said, words.Percent(spreadLoss))
	}
	time := func(sc bench.Scenario, unit string) string {
		return words.Seconds(m.Mean(sc,
			unit).Mid)
	}
	f.Add("the p99 response is %s at C² = 0 and %s at C² = %v, the mean wait %s and %s",
		time(one, "p99-response-sec"), time(widest, "p99-response-sec"), most,
		time(one, "mean-wait-sec"), time(widest, "mean-wait-sec"))
	if shed := spreadSweep(Quick, strategy(shedding)); m.Has(shed[0]) && m.Has(shed[len(shed)-1]) {
		f.Add("without a queue %s sheds %s of the tasks at C² = 0 and %s at C² = %v (theory: "+
			"%s at any C²)", shedding,
			words.Percent(m.Mean(shed[0], "shed/op").Mid),
			words.Percent(m.Mean(shed[len(shed)-1], "shed/op").Mid), most,
			words.Percent(spreadLost()))
	}
	return f
}

func drawSpread(m *evidence.Measured) (f page.Figure, err error) {
	x := charts.Axis{Label: "C² of the task times (log scale)", Log: true, Zero: true,
		Name: "C²", Marks: spreadC2}
	slow := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x,
		Y: charts.Axis{Label: "of those completed (log scale)", Log: true, Format: charts.Seconds}}
	done := charts.Plane{Panel: charts.Panel{Title: "throughput"}, X: x,
		Y: charts.Axis{Label: "completed ÷ arrived", Format: words.Percent, Reach: []float64{0, 1}}}
	known := names(familiar())
	for _, name := range append(known,
		m.Others(known, func(name string) bench.Scenario {
			return spreadSweep(Quick, strategy(name))[0]
		})...) {
		p99, share := charts.Series{Name: name}, charts.Series{Name: name}
		for i, sc := range spreadSweep(Quick, strategy(name)) {
			if !m.Has(sc) {
				continue
			}
			p99.Style, share.Style = m.Style(sc), m.Style(sc)
			if in := evidence.OfMedian(m.Values(sc, "p99-response-sec")); !math.IsNaN(in.Mid) {
				evidence.AddPoint(&p99, spreadC2[i], in)
			}
			evidence.AddPoint(&share, spreadC2[i], evidence.OfMedian(keptUps(m, sc)))
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
			done.Series = append(done.Series,
				charts.Series{Name: name, Style: share.Style, Theory: true,
					X: []float64{0, spreadC2[len(spreadC2)-1]}, Y: []float64{kept, kept}})
		}
	}
	return evidence.Figure{
		Name:  "spread",
		Title: "What task times that vary cost: response and throughput",
		Subtitle: fmt.Sprintf("Load %v, tasks of %s in the mean, Poisson arrivals, limit %d",
			spreadLoad, charts.Seconds(spreadMean), limit),
		Caption: []string{
			"Without a queue a response is a task's own time; at the widest spread fewer than " +
				"one task in a hundred is long, so that the p99 is that of a short one. In a " +
				"queue all wait for the long ones.",
			fmt.Sprintf("Bands: exact, M/D/%d, M/M/%d and M/H₂/%d for the pool; Erlang B, "+
				"which holds for any task times, for what sheds. Between C² = 0 and 1 no band "+
				"is drawn.",
				limit, limit, limit),
			m.Medians(spreadSweep(Quick, familiar())),
		},
	}.Planes(slow, done)
}

// spreadExact are the bands of a pool in whose queue everything waits: a dot for tasks of one
// length, and a line from exponential ones on.
func spreadExact(style int) []charts.Series {
	dot := charts.Series{Name: pooled, Style: style, Theory: true}
	line := dot
	pool := theory.Pool{Rate: spreadLoad * limit / spreadMean,
		MeanService: spreadMean, Limit: limit}
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

// spreadLost is the share that a pool without a queue refuses, whatever the distribution of the
// task times.
func spreadLost() float64 {
	a, err := theory.MGkk(theory.Pool{Rate: spreadLoad * limit / spreadMean,
		MeanService: spreadMean, Limit: limit})
	if err != nil {
		panic(err)
	}
	return a.ShedProb
}

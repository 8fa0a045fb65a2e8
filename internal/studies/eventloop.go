package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// eventloop tests the Node.js guide "Don't block the event loop": callbacks are short, except for
// inputs of size n from one client, which cost as much as n or n² short callbacks. Long callbacks
// keep the core 10 % busy, whatever n is.
//
// The metric is the p99 response of the other clients, relative to the loop without long callbacks.
// The cases are callbacks at least ten times as long as the short ones. A case meets the claim if
// the metric is at least 2 on the loop, and at most half of this in steps and if offloaded.
var _ = register(Study{
	Name:     "eventloop",
	Question: "how does a long callback on an event loop affect other clients, and what helps?",
	Claim: "a callback of more than constant cost on an event loop makes all other clients wait; " +
		"partitioning or offloading helps",
	Count:   [3]int{2, 4, 10},
	Budget:  4 * time.Second,
	Cells:   callbackCells,
	Decides: []string{metric.ShortP99Response},
	Advice: evidence.Sentences{
		Holds: "keep callbacks short: split a long callback into steps, or better, offload it",
		DoesNotHold: "do not split callbacks: long callbacks do little harm, or splitting and " +
			"offloading help little",
		Depends: "split or offload the callbacks that are longer than the others",
	},
	Judge: judgeCallbacks,
	Draw:  []drawing{drawCallbacks, drawRealCallbacks},
})

type callbackWay struct {
	strategy string
	limit    int
	where    string // used in sentences
	title    string
}

var callbackWays = []callbackWay{
	{inline, 1, "on the loop", "on the loop"},
	{sequential, 1, "in steps", "in steps, on the loop's core"},
	{"event_loop_offload", limit, "offloaded", fmt.Sprintf("offloaded to %d workers", limit)},
}

var (
	callbackSizes = []int{1, 2, 4, 10, 20}
	callbackCosts = []struct {
		name string
		of   func(n int) int
	}{
		{"O(1)", func(int) int { return 1 }},
		{"O(n)", func(n int) int { return n }},
		{"O(n²)", func(n int) int { return n * n }},
	}
)

const (
	callbackShort  = 0.4
	callbackLong   = 0.1
	callbackJudged = 10 // length from which a callback counts as long, in short callbacks
)

func callbackLengths() (lengths []int) {
	for _, n := range callbackSizes {
		for _, cost := range callbackCosts {
			lengths = append(lengths, cost.of(n))
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

func callbackShare(r int) float64 {
	if r == 1 {
		return 0
	}
	return math.Round(1e5/(1+callbackShort/callbackLong*float64(r))) / 1e5
}

// callbackRate returns the number of callbacks per length of a short one.
func callbackRate(r int) float64 {
	if r == 1 {
		return callbackShort + callbackLong
	}
	return callbackShort / (1 - callbackShare(r))
}

func callbackCell(way callbackWay, r int, size Size) bench.Scenario {
	work := fmt.Sprintf("constant:mean=%v", unit)
	if r > 1 {
		work = fmt.Sprintf("bimodal:p=%v,short=%v,long=%v", callbackShare(r), unit,
			time.Duration(r)*unit)
	}
	tasks := [...]int{12_000, 60_000, 400_000}[size] * max(1,
		int(math.Round(math.Sqrt(float64(r))/5)))
	sc := scenario(way.strategy, work, poisson(0), bench.Stop{Tasks: tasks, Warmup: 0.1})
	sc.Limit, sc.Queue = way.limit, room
	sc.Load.PerSecond = math.Round(callbackRate(r) / unit.Seconds())
	return sc
}

func callbackCells(size Size) (cells []bench.Scenario) {
	for _, r := range callbackLengths() {
		for _, way := range callbackWays {
			cells = append(cells, callbackCell(way, r, size))
		}
	}
	for _, work := range realCallbacks {
		for _, n := range work.sizes {
			for _, way := range work.ways {
				cells = append(cells, realCallbackCell(way, n, size))
			}
		}
	}
	return cells
}

func othersUnit(r int) string {
	if r == 1 {
		return metric.P99Response // all are alike
	}
	return metric.ShortP99Response
}

func othersWait(m *evidence.Measured, way callbackWay, r int) evidence.Interval {
	return evidence.OfProduct(m.Values(callbackCell(way, r, Quick),
		othersUnit(r))).Times(1 / unit.Seconds())
}

func othersSlowdown(m *evidence.Measured, way callbackWay, r int) evidence.Interval {
	return evidence.OfProduct(m.Pairs(callbackCell(way, r, Quick),
		callbackCell(callbackWays[0], 1, Quick), func(way, alone evidence.Run) float64 {
			return way(othersUnit(r)) / alone(othersUnit(1))
		}))
}

func judgeCallbacks(m *evidence.Measured) decide.Finding {
	loop := callbackWays[0]
	r := evidence.Ruling{Of: "others' p99, by length", More: []string{callbackWays[1].where,
		callbackWays[2].where, "long: loop", callbackWays[1].where,
		callbackWays[2].where}, Number: loop.where, Format: evidence.Interval.Factor}
	for _, length := range callbackLengths()[1:] {
		onLoop := othersSlowdown(m, loop, length)
		var more, own []string
		yes, no := onLoop.Lo >= 2, onLoop.Hi < 2
		known := onLoop
		for i, way := range callbackWays {
			long := m.Mean(callbackCell(way, length, Quick), metric.LongMeanResponse).Times(
				1 / (float64(length) * unit.Seconds()))
			own = append(own, evidence.Short(long, text.Short))
			if i == 0 {
				continue
			}
			other := m.Ratio(callbackCell(way, length, Quick), callbackCell(loop, length, Quick),
				othersUnit(length))
			yes, no = yes && other.Hi <= 0.5, no || other.Lo > 0.5
			known.Mid += 0 * other.Mid // NaN if the ratio was not measured
			more = append(more, evidence.Short(othersSlowdown(m, way, length), text.Short))
		}
		if name := fmt.Sprintf("length %d", length); length < callbackJudged {
			r.Show(name, onLoop, append(more, own...)...)
		} else {
			r.Certain(name, known, yes, no, append(more, own...)...)
		}
	}
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("callbacks at least %d times as long at least double the others' p99 on "+
			"the loop, and splitting or offloading at least halves it", callbackJudged),
		DoesNotHold: "long callbacks do not double the others' p99 on the loop, or splitting and " +
			"offloading do not halve it",
		Depends: "on the length of the callback",
	}, "whether the claim holds")
	answerRealCallbacks(m, &f)
	return f
}

func drawCallbacks(m *evidence.Measured) evidence.Figure {
	var planes []charts.Plane
	most := 1.0
	for _, way := range callbackWays {
		p := evidence.Plane(way.title, evidence.Log("n, the size of one client's input", nil,
			evidence.Floats(callbackSizes)...),
			evidence.Log("p99 response ÷ own length", charts.Count, 1, 10, 100, 1000))
		p.X.Name = "n"
		for style, cost := range callbackCosts {
			s := charts.Series{Name: cost.name, Style: style}
			for _, n := range callbackSizes {
				if in := othersWait(m, way, cost.of(n)); !math.IsNaN(in.Mid) {
					evidence.AddPoint(&s, float64(n), evidence.Point(in.Mid))
					most = max(most, in.Mid)
				}
			}
			p.Add(s)
		}
		p.Add(evidence.Exact(p.Series[0], p.X.Marks,
			func(float64) float64 { return alikeP99(way) }))
		planes = append(planes, p)
	}
	for i := range planes {
		planes[i].Y.Reach = []float64{1, most}
	}
	return evidence.Figure{
		Name:  "eventloop-callbacks",
		Title: "Effect of one client's long callback on the other clients",
		Subtitle: fmt.Sprintf("The callbacks of the other clients keep a core %s busy, and the "+
			"callbacks of this client another %s, for any n", text.ShortShare(callbackShort),
			text.ShortShare(callbackLong)),
		Caption: []string{
			fmt.Sprintf("At n = %d, n² is %d callbacks in a row. A step is one short callback.",
				callbackSizes[len(callbackSizes)-1], callbackLengths()[len(callbackLengths())-1]),
			highestWaits(m),
			fmt.Sprintf("Exact is the band of O(1), M/D/1 and M/D/%d; for two lengths the p99 "+
				"has no closed form here. Points: geometric means of %s repetitions.", limit,
				m.Repetitions(callbackCells(Quick)[:1])),
		},
	}.Planes(planes...)
}

func highestWaits(m *evidence.Measured) string {
	var said []string
	for _, way := range callbackWays {
		most, at := 0.0, 0
		for _, r := range callbackLengths() {
			if wait := othersWait(m, way, r).Mid; wait > most {
				most, at = wait, r
			}
		}
		if at > 0 {
			said = append(said, fmt.Sprintf("%s %s (at length %d)", text.Short(most), way.where,
				at))
		}
	}
	return "The others' p99, in their own lengths, is at most " + evidence.Series(said) + "."
}

// If all callbacks are short, a step is a whole callback.
func alikeP99(way callbackWay) float64 {
	return theory.Must(theory.MDk(theory.Pool{Rate: callbackRate(1), MeanService: 1,
		Limit: way.limit})).P99()
}

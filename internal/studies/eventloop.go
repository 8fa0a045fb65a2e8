package studies

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// eventloop is the Node.js guide "Don't block the event loop": most callbacks are short and all alike, and now and then one client sends an
// input of size n, which costs n or n² of them. The callbacks run on the loop as they are (event_loop), in steps of one short callback on the
// same single core (partitioned at limit 1), or on the four workers that libuv has by default (event_loop_offload),
// which are four times the places.
//
// The short callbacks keep one core 40 % busy, and the long ones 10 %, however long they are: the longer, the rarer. So what grows with n is not
// the load. The claim is judged under the virtual clock by the p99 response of the short callbacks, of the others' clients, as a multiple of what
// it is on the loop without any long callback. It holds where, for every callback of ten short ones or more, that is at least 2 on the
// loop, and with either way out at most half of the loop's; it does not hold where that is so for none of them; else it depends on the length.
//
// Real runs say that such callbacks are no invention: a vulnerable regular expression and JSON that doubles, at eight clients who do nothing
// but ask.
var _ = register(Study{
	Name:     "eventloop",
	Question: "what do the other clients see when one callback on an event loop is long, and what spares them?",
	Claim:    "one callback of more than constant cost on an event loop makes every other client wait; partitioning or offloading spares them",
	Count:    [3]int{2, 4, 10},
	Cells:    callbackCells,
	Judge:    judgeCallbacks,
	Draw: func(m *measured) (figures []reports.Figure, err error) {
		for _, draw := range []func(*measured) (reports.Figure, error){drawCallbacks, drawRealCallbacks} {
			f, err := draw(m)
			if empty(err) {
				continue
			} else if err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
		return figures, nil
	},
})

// A callbackWay is where callbacks run.
type callbackWay struct {
	strategy string
	limit    int
	where    string // within a sentence
	title    string
}

const inline = "event_loop"

var callbackWays = []callbackWay{
	{inline, 1, "on the loop", "on the loop"},
	{sequential, 1, "in steps", "in steps, on the loop's core"},
	{"event_loop_offload", limit, "offloaded", fmt.Sprintf("offloaded to %d workers", limit)},
}

// callbackSizes are the n of the input; callbackCosts, what a callback costs by it, in short callbacks.
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
	callbackShort  = 0.4 // of one core, by the short callbacks
	callbackLong   = 0.1 // by the long ones
	callbackJudged = 10  // short callbacks: from here on a callback is taken for long
)

// callbackLengths are the lengths of the long callbacks, each once, ascending.
func callbackLengths() (lengths []int) {
	most := callbackCosts[2].of(callbackSizes[len(callbackSizes)-1])
	for r := 1; r <= most; r++ {
		for _, n := range callbackSizes {
			if n == r || n*n == r {
				lengths = append(lengths, r)
				break
			}
		}
	}
	return lengths
}

// callbackShare is the share of the callbacks that are long, in five decimals.
func callbackShare(r int) float64 {
	if r == 1 {
		return 0
	}
	return math.Round(1e5/(1+callbackShort/callbackLong*float64(r))) / 1e5
}

// callbackRate is in callbacks per unit.
func callbackRate(r int) float64 {
	if r == 1 {
		return callbackShort + callbackLong
	}
	return callbackShort / (1 - callbackShare(r))
}

func callbackCell(way callbackWay, r int, size Size) bench.Scenario {
	work := fmt.Sprintf("constant:mean=%v", unit)
	if r > 1 {
		work = fmt.Sprintf("bimodal:p=%v,short=%v,long=%v", callbackShare(r), unit, time.Duration(r)*unit)
	}
	// The longer the long ones, the fewer there are.
	tasks := [...]int{20_000, 60_000, 400_000}[size] * max(1, int(math.Round(math.Sqrt(float64(r))/5)))
	return bench.Scenario{
		Strategy: strategy(way.strategy)[0],
		Limit:    way.limit,
		Queue:    room,
		Workload: workload(work)[0],
		Load:     bench.Load{Arrival: arrival("poisson")[0], PerSecond: math.Round(callbackRate(r) / unit.Seconds())},
		Stop:     bench.Stop{Tasks: tasks, Warmup: 0.1},
		Seed:     1,
		Clock:    bench.Virtual,
	}
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

// othersUnit is the metric of the other clients' p99.
func othersUnit(r int) string {
	if r == 1 {
		return "p99-response-sec" // all are alike
	}
	return "short-p99-response-sec"
}

// othersWait is the p99 response of the other clients, in their own callbacks.
func othersWait(m *measured, way callbackWay, r int) interval {
	return ofProduct(m.values(callbackCell(way, r, Quick), othersUnit(r))).times(1 / unit.Seconds())
}

// harm is that as a multiple of what it is on the loop without long callbacks, repetition by repetition.
func harm(m *measured, way callbackWay, r int) float64 {
	cells := []bench.Scenario{callbackCell(way, r, Quick), callbackCell(callbackWays[0], 1, Quick)}
	return ofProduct(m.each(cells, func(value func(int, string) float64) float64 {
		return value(0, othersUnit(r)) / value(1, othersUnit(1))
	})).mid
}

func judgeCallbacks(m *measured) Finding {
	var so, not, lengths []int
	for _, r := range callbackLengths() {
		if r < callbackJudged {
			continue
		}
		onLoop, spared := harm(m, callbackWays[0], r), true
		for _, way := range callbackWays[1:] {
			other := harm(m, way, r)
			if math.IsNaN(onLoop) || math.IsNaN(other) {
				return undecided("%s or %s was not measured with callbacks of %d", callbackWays[0].strategy, way.strategy, r)
			}
			spared = spared && other <= onLoop/2
		}
		if lengths = append(lengths, r); onLoop >= 2 && spared {
			so = append(so, r)
		} else {
			not = append(not, r)
		}
	}
	first, last := lengths[0], lengths[len(lengths)-1]
	numbers := func(r int) string {
		var each []string
		for _, way := range callbackWays {
			each = append(each, fmt.Sprintf("×%s %s", short(harm(m, way, r)), way.where))
		}
		return fmt.Sprintf("a callback of %d makes the p99 of the others %s", r, strings.Join(each, ", "))
	}
	var f Finding
	switch {
	case len(not) == 0:
		f = found(Holds, "%s; %s", numbers(first), numbers(last))
	case len(so) == 0:
		f = found(DoesNotHold, "%s; %s", numbers(first), numbers(last))
	default:
		f = found(Depends, "on the length of the callback: so it is for %v short ones, and not for %v; %s", so, not, numbers(not[0]))
	}
	answerCallbacks(m, &f)
	answerRealCallbacks(m, &f)
	return f
}

func answerCallbacks(m *measured, f *Finding) {
	loop, steps := callbackWays[0], callbackWays[1]
	lengths := callbackLengths()
	most := lengths[len(lengths)-1]
	if little := harm(m, loop, lengths[1]); !math.IsNaN(little) {
		f.add("a callback of %d, now and then, changes the p99 of the others on the loop to ×%s: what is long is a matter of size, not of O", lengths[1], short(little))
	}
	slowdown := func(way callbackWay) string {
		return short(m.mean(callbackCell(way, most, Quick), "mean-slowdown").mid)
	}
	f.add("with callbacks of %d the mean of response ÷ size is %s on the loop, %s in steps, %s offloaded", most, slowdown(loop), slowdown(steps), slowdown(callbackWays[2]))
	own := func(way callbackWay) string {
		return short(m.mean(callbackCell(way, most, Quick), "long-mean-response-sec").mid / (float64(most) * unit.Seconds()))
	}
	f.add("whoever sent the input pays for the steps: the callback of %d takes %s of its own time instead of %s; offloaded, %s", most, own(steps), own(loop), own(callbackWays[2]))
	wait := ofMean(m.values(callbackCell(loop, most, Quick), "short-mean-response-sec")).times(1 / unit.Seconds())
	f.add("the mean response of the others on the loop is %s of their callbacks then; Pollaczek–Khinchine says %s", short(wait.mid), short(1+onLoopWait(most)))
}

// onLoopWait is the exact mean wait for the loop, in short callbacks.
func onLoopWait(r int) float64 {
	p := callbackShare(r)
	mean, square := 1-p+p*float64(r), 1-p+p*float64(r*r)
	a, err := theory.MG1(theory.Pool{Rate: callbackRate(r), MeanService: mean, Limit: 1}, square/(mean*mean)-1)
	if err != nil {
		panic(err)
	}
	return a.MeanWait
}

func drawCallbacks(m *measured) (f reports.Figure, err error) {
	var planes []charts.Plane
	most, any := 1.0, false
	for _, way := range callbackWays {
		p := charts.Plane{
			Panel: charts.Panel{Title: way.title},
			X:     charts.Axis{Label: "n, the size of one client's input (log scale)", Log: true, Name: "n"},
			Y:     charts.Axis{Label: "p99 response ÷ own size (log scale)", Log: true, Format: short, Marks: []float64{1, 10, 100, 1000}},
		}
		for _, n := range callbackSizes {
			p.X.Marks = append(p.X.Marks, float64(n))
		}
		for style, cost := range callbackCosts {
			s := charts.Series{Name: cost.name, Style: style}
			for _, n := range callbackSizes {
				if in := othersWait(m, way, cost.of(n)); !math.IsNaN(in.mid) {
					add(&s, float64(n), interval{in.mid, math.NaN(), math.NaN()})
					most, any = max(most, in.mid), true
				}
			}
			p.Series = append(p.Series, s)
		}
		exact := charts.Series{Name: callbackCosts[0].name, Style: 0, Theory: true}
		for _, n := range callbackSizes {
			exact.X, exact.Y = append(exact.X, float64(n)), append(exact.Y, alikeP99(way))
		}
		p.Series = append(p.Series, exact)
		planes = append(planes, p)
	}
	if !any {
		return f, &charts.EmptyError{Chart: "callbacks"}
	}
	for i := range planes {
		planes[i].Y.Reach = []float64{1, most}
	}
	c, err := charts.Planes("One client's long callback is everybody's wait, unless it is cut up or moved away", planes)
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("What the other clients see. Their callbacks keep a core %.0f %% busy, those of that client another %.0f %% whatever n is", 100*callbackShort, 100*callbackLong)
	return reports.Figure{Name: "eventloop-callbacks", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("On the loop the others wait in proportion to what the callback costs: at n = %d, n² is %d callbacks in a row.", callbackSizes[len(callbackSizes)-1], callbackLengths()[len(callbackLengths())-1]),
		"In steps of one short callback, or elsewhere, it hardly touches them, whatever it costs.",
		fmt.Sprintf("Exact is the band of O(1), M/D/1 and M/D/%d; for two lengths the p99 has no closed form here. Points: the geometric mean of %s repetitions.", limit, m.repetitions(callbackCells(Quick)[:1])),
	}, " ")}, nil
}

// alikeP99 is the exact p99 response where all callbacks are alike; steps of one callback are whole callbacks then.
func alikeP99(way callbackWay) float64 {
	a, err := theory.MDk(theory.Pool{Rate: callbackRate(1), MeanService: 1, Limit: way.limit})
	if err != nil {
		panic(err)
	}
	p99, ok := a.ResponseQuantile(0.99)
	if !ok {
		panic("studies: M/D/k has no quantiles")
	}
	return p99
}

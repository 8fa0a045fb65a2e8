package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// hedging calls three services at which one call in fifty takes twenty times as long as the others.
// At the first the reason is chance, independent for the second attempt. The second has as many
// slots as the pool, and finishes the work of the cancelled attempt. At the third the second
// attempt is as slow as the first. A case meets the claim if second attempts reduce the p99
// response to at most four fifths with at most 5 % more calls, rounded.
var _ = register(Study{
	Name:     "hedging",
	Question: "when does a second attempt at slow calls shorten the tail?",
	Claim:    "hedging shortens the tail, for 5 % more calls",
	Count:    [3]int{3, 8, 20},
	Budget:   6 * time.Second,
	Apart:    true,
	Compared: hedgers,
	With:     each(hedgeSweep),
	Decides:  []string{p99Response},
	Advice: evidence.Sentences{
		Holds:       "hedge",
		DoesNotHold: "do not hedge: it costs calls and does not shorten the tail",
		Depends: "hedge if calls are slow by chance and the service has spare capacity, not if " +
			"its slots are busy or the task itself is long",
	},
	Judge: judgeHedging,
	Draw:  []drawing{drawHedging},
})

const (
	hedging   = "hedged"
	hedgeLaw  = "mixture(0.98,exp(7ms),0.02,exp(140ms))" // duration of a call
	hedgeMean = 0.98*0.007 + 0.02*0.140                  // seconds
	hedgeCut  = 0.8                                      // largest ratio of the p99
	hedgeMore = 0.0549                                   // additional calls per task: rounds to 5 %
)

var (
	hedgers    = []string{pooled, hedging}
	hedgeLoads = []float64{0.3, 0.5, 0.7, 0.9}
)

type slowness struct{ title, said, target string }

var slownesses = []slowness{
	{"Slow by chance", "by chance",
		"flaky:errors=0,draw=call,spikes=1,spike=" + hedgeLaw},
	{fmt.Sprintf("By chance, at a server of %d slots", limit),
		fmt.Sprintf("by chance, %d slots", limit),
		fmt.Sprintf("deaf_server:slots=%d,patience=1h,service=%s", limit, hedgeLaw)},
	{"Slow by their task", "by their task",
		"flaky:errors=0,draw=task,spikes=1,spike=" + hedgeLaw},
}

// The scenarios are ordered by service.
func hedgeSweep(size Size, name string) (cells []bench.Scenario) {
	for _, why := range slownesses {
		for _, load := range hedgeLoads {
			sc := scenario(name, "constant:mean=1us", bench.Load{Arrival: arrival("poisson")[0],
				PerSecond: math.Round(load * limit / hedgeMean)},
				bench.Stop{Tasks: [...]int{20_000, 100_000, 500_000}[size], Warmup: 0.1})
			sc.Target = target(why.target)[0]
			cells = append(cells, sc)
		}
	}
	return cells
}

func hedgesOf(name string, service int) []bench.Scenario {
	n := len(hedgeLoads)
	return hedgeSweep(Quick, name)[service*n : (service+1)*n]
}

func moreCalls(r evidence.Run) float64 { return r(metric.Attempts) - 1 }

func judgeHedging(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "calls are slow", More: []string{"p99", "p99 hedged", "ratio",
		"more calls"}}
	for service, why := range slownesses {
		alone, with := hedgesOf(pooled, service), hedgesOf(hedging, service)
		for i, load := range hedgeLoads {
			// Both conditions make one number, each relative to its threshold.
			both := evidence.OfProduct(m.Pairs(with[i], alone[i], func(a, b evidence.Run) float64 {
				return max(a(p99Response)/b(p99Response)/hedgeCut, moreCalls(a)/hedgeMore)
			}))
			r.AtMost(fmt.Sprintf("%s, load %v", why.said, load), both, 1,
				m.MedianText(alone[i], p99Response, text.ShortSeconds),
				m.MedianText(with[i], p99Response, text.ShortSeconds),
				evidence.Short(m.Ratio(with[i], alone[i], p99Response), text.Short),
				evidence.Short(evidence.OfMean(m.Numbers(with[i], moreCalls)), text.ShortShare))
		}
	}
	return r.Find(evidence.Sentences{
		Holds:       "second attempts cut the p99 by a fifth or more, for at most 5 % more calls",
		DoesNotHold: "second attempts do not cut the p99 by a fifth for at most 5 % more calls",
		Depends:     "on why calls are slow, and on the server",
	}, "effect of second attempts on the p99")
}

func drawHedging(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load (1 is the capacity)", Name: "load",
		Marks: hedgeLoads}
	var planes []charts.Plane
	for service, why := range slownesses {
		y := responses("p99 response")
		y.Reach = []float64{0.03, 1}
		p := evidence.Plane(why.title, x, y)
		for _, cells := range m.Sweeps(hedgers, func(name string) []bench.Scenario {
			return hedgesOf(name, service)
		}) {
			p.Add(evidence.MedianCurve(m, hedgeLoads, cells, p99Response))
		}
		planes = append(planes, p)
	}
	return evidence.Figure{
		Name:  "hedging",
		Title: "Effect of second attempts on the tail, by the reason why calls are slow",
		Subtitle: fmt.Sprintf("one call in 50 lasts 140 ms, the others 7 ms, on average; limit "+
			"%d, and parallel second attempts for at most 5 %% of the calls", limit),
		Caption: []string{
			"The first service serves any number of calls at once, and a second attempt has its " +
				"own random duration.",
			"The second service has as many slots as the pool, and also finishes calls that " +
				"nobody waits for.",
			"At the third service, the second attempt at a task lasts as long as the first.",
			fmt.Sprintf("The capacity is the capacity without second attempts, which occupy no "+
				"slot: up to %d calls are made at once.", 2*limit),
			m.Medians(hedgesOf(pooled, 0)),
		},
	}.Planes(planes...)
}

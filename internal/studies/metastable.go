package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// metastable raises the load on a server above its capacity, and lowers it again. The server
// continues to work for callers that have given up (Bronson et al., Metastable Failures in
// Distributed Systems, HotOS 2021). A case meets the claim if the goodput at half of the capacity
// is at least nine tenths as high on the way down as on the way up.
var _ = register(Study{
	Name:     "metastable",
	Question: "does a service recover from an overload by itself if failed calls are retried?",
	Claim:    "when the load is back below the capacity, the goodput is as before",
	Count:    [3]int{3, 8, 20},
	Budget:   5 * time.Second,
	Apart:    true,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, c := range stormCases {
			cells = append(cells, c.cell())
		}
		return cells
	},
	Decides: stormDecides(),
	Advice: evidence.Sentences{
		Holds: "no precaution is needed against this overload",
		DoesNotHold: "lower the load far below the capacity, or restart: the service does not " +
			"recover by itself",
		Depends: "give retries a budget, or let the server refuse at once the calls that it " +
			"cannot answer in time",
	},
	Judge: judgeStorm,
	Draw:  []drawing{drawStorm},
})

const (
	stormRate  = 400 // capacity of the server in calls per second: 4 slots of 10 ms
	stormAt    = 0.5 // load of the verdict
	stormLost  = 0.9 // required share of the goodput on the way up
	stormQueue = 20  // length of a queue whose wait is below the callers' timeout
	stormStep  = 10 * time.Second
)

// The way down repeats these loads without the last.
var stormLoads = []float64{0.2, 0.35, stormAt, 0.65, 0.75, 0.9, 1.1}

type stormCase struct{ name, client, server string }

var stormCases = []stormCase{
	{"no retries", free, ""},
	{"retries", "retry:attempts=4,base=100ms+" + free, ""},
	{"a retry budget of 10 %", "retry:attempts=4,base=100ms,budget=0.1+" + free, ""},
	{"retries, shedding", "retry:attempts=4,base=100ms+" + free,
		fmt.Sprintf(":queue=%d", stormQueue)},
}

func stormSteps() []float64 {
	down := slices.Clone(stormLoads[:len(stormLoads)-1])
	slices.Reverse(down)
	return slices.Concat(stormLoads, down)
}

func (c stormCase) cell() bench.Scenario {
	var stages []string
	tasks := 0.0
	for _, load := range stormSteps() {
		rate := math.Round(load * stormRate)
		stages = append(stages, fmt.Sprintf("%vx%v", rate, stormStep))
		tasks += rate * stormStep.Seconds()
	}
	sc := scenario(c.client, "constant:mean=1us", loadOf("stages:unit=rate,at="+
		strings.Join(stages, "_"), 0), bench.Stop{Tasks: int(tasks)})
	sc.Target = target("deaf_server" + c.server)[0]
	return sc
}

func stormGoodput(stage int) string { return fmt.Sprintf("stage%d-goodput-ops/s", stage) }

func stormDecides() []string {
	up := slices.Index(stormLoads, stormAt) + 1
	return []string{stormGoodput(up), stormGoodput(2*len(stormLoads) - up)}
}

// The number of tasks varies by chance between stages of the same load, so their share is compared.
func stormAnswered(r evidence.Run, stage int) float64 {
	return r(stormGoodput(stage)) / r(fmt.Sprintf("stage%d-offered-ops/s", stage))
}

func stormKept(m *evidence.Measured, c stormCase, load float64) evidence.Interval {
	up := slices.Index(stormLoads, load) + 1
	down := 2*len(stormLoads) - up
	return evidence.OfMean(m.Numbers(c.cell(), func(r evidence.Run) float64 {
		return stormAnswered(r, down) / stormAnswered(r, up)
	}))
}

func judgeStorm(m *evidence.Measured) decide.Finding {
	peak := len(stormLoads)
	r := evidence.Ruling{Of: "client", More: []string{
		fmt.Sprintf("answered at load %v", stormLoads[peak-1]), "recovers at load"},
		Number: fmt.Sprintf("goodput left at load %v", stormAt),
		Format: func(in evidence.Interval) string { return text.ShortShare(in.Mid) }}
	for _, c := range stormCases {
		r.AtLeast(c.name, stormKept(m, c, stormAt), stormLost,
			m.MedianText(c.cell(), stormGoodput(peak), text.Short)+"/s", stormRecovered(m, c))
	}
	at := text.ShortShare(stormAt)
	return r.Find(evidence.Sentences{
		Holds: "at " + at + " of the capacity the goodput on the way down is that of the way up",
		DoesNotHold: "at " + at + " of the capacity the goodput on the way down is lower than " +
			"on the way up",
		Depends: "on the retries",
	}, "how much of the goodput is left on the way down")
}

// stormRecovered is the load on the way down from which the goodput equals that on the way up.
func stormRecovered(m *evidence.Measured, c stormCase) string {
	for i := len(stormLoads) - 2; i >= 0; i-- {
		if stormKept(m, c, stormLoads[i]).Mid >= stormLost {
			return text.Short(stormLoads[i])
		}
	}
	return "none"
}

func drawStorm(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load of the server"}
	peak, steps := len(stormLoads), stormSteps()
	var planes []charts.Plane
	for _, c := range stormCases {
		p := evidence.Plane(c.name, x, charts.Axis{Label: "tasks answered a second",
			Reach: []float64{0, stormRate}})
		up := charts.Series{Name: "on the way up", Style: 0}
		down := charts.Series{Name: "on the way down", Style: 1}
		add := func(to *charts.Series, i int) {
			evidence.AddPoint(to, steps[i], m.Median(c.cell(), stormGoodput(i+1)))
		}
		for i := range peak { // from the lowest load in both directions
			add(&up, i)
			add(&down, len(steps)-1-i)
		}
		p.Add(up, down)
		planes = append(planes, p)
	}
	return evidence.Figure{
		Name:  "metastable",
		Title: "Retries keep a server down after the overload that brought it down",
		Subtitle: fmt.Sprintf("a server that does %d calls a second, %s at each load; callers "+
			"wait 100 ms, and make four attempts at most", stormRate, text.Duration(stormStep)),
		Caption: []string{
			"The server also completes calls whose callers have given up.",
			m.Medians([]bench.Scenario{stormCases[0].cell()}),
		},
	}.Planes(planes...)
}

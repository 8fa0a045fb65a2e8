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
	_ "github.com/poolbench/poolbench/workloads/regex"
)

type realCallback struct {
	title, x string
	step     string // effect of increasing n by one
	sizes    []int
	ways     []realWay
}

type realWay struct{ name, strategy, work string }

var realCallbacks = []realCallback{
	{"a vulnerable regular expression", "n, the slashes before the line feed", "slash",
		[]int{12, 16, 20}, []realWay{
			{"on the loop", inline, "cpu_regex:n=%d"},
			{"offloaded", "event_loop_offload", "cpu_regex:n=%d"},
			{"on the loop with a linear engine", inline, "cpu_regex:engine=linear,n=%d"},
		}},
	{"JSON written and read", "n, how often the object is doubled", "doubling",
		[]int{5, 8, 11}, []realWay{
			{"on the loop", inline, "cpu_json:n=%d"},
			{"offloaded", "event_loop_offload", "cpu_json:n=%d"},
		}},
}

const realClients = 8

func realCallbackCell(way realWay, n int, size Size) bench.Scenario {
	sc := scenario(way.strategy, fmt.Sprintf(way.work, n),
		loadOf(fmt.Sprintf("closed:clients=%d,think=const(0s)", realClients), 0),
		bench.Stop{Warmup: 0.1, Duration: [...]time.Duration{40, 300, 1000}[size] *
			time.Millisecond})
	sc.Queue, sc.Clock = realClients, bench.Real
	return sc
}

func answerRealCallbacks(m *evidence.Measured, f *decide.Finding) {
	for _, work := range realCallbacks {
		least, most := work.sizes[0], work.sizes[len(work.sizes)-1]
		ends := []bench.Scenario{realCallbackCell(work.ways[0], most, Quick),
			realCallbackCell(work.ways[0], least, Quick)}
		const service = metric.P50Service
		growth := math.Pow(m.Lowest(ends[0], service)/m.Lowest(ends[1], service),
			1/float64(most-least))
		if math.IsNaN(growth) {
			continue
		}
		var each []string
		for _, way := range work.ways {
			each = append(each, fmt.Sprintf("%s %s",
				evidence.Roughly(m.Lowest(realCallbackCell(way, most, Quick), meanResponse)),
				way.name))
		}
		f.Add("on this machine, %s: each further %s makes a callback %s times as long; the "+
			"mean response of %d clients is %s at n = %d, and at n = %d it is %s (best "+
			"repetitions)", work.title, work.step, text.Short(growth), realClients,
			evidence.Roughly(m.Lowest(ends[1], meanResponse)), least, most, evidence.Series(each))
	}
}

func drawRealCallbacks(m *evidence.Measured) evidence.Figure {
	var planes []charts.Plane
	for _, work := range realCallbacks {
		p := evidence.Plane(work.title, charts.Axis{Label: work.x, Name: "n",
			Marks: evidence.Floats(work.sizes)}, responses("mean response"))
		for style, way := range work.ways {
			s := charts.Series{Name: way.name, Style: style}
			for _, n := range work.sizes {
				evidence.AddPoint(&s, float64(n),
					evidence.Point(m.Lowest(realCallbackCell(way, n, Quick), meanResponse)))
			}
			p.Add(s)
		}
		planes = append(planes, p)
	}
	return evidence.Figure{
		Name:  "eventloop-real",
		Title: "Two callbacks with exponential cost, on a real machine",
		Subtitle: fmt.Sprintf("Real clock, this machine: %d clients that all send such an input",
			realClients),
		Caption: []string{
			"A straight line upwards is exponential growth.",
			"These callbacks cannot be split into steps from outside, so they are not partitioned.",
			fmt.Sprintf("Points: the best of %s repetitions, because other programs can only "+
				"slow a run down.",
				m.Repetitions([]bench.Scenario{realCallbackCell(realCallbacks[0].ways[0],
					realCallbacks[0].sizes[0], Quick)})),
		},
	}.Planes(planes...)
}

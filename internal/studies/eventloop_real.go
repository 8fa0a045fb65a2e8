package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// A realCallback is work of which one input makes as much as its sender likes, run for real.
type realCallback struct {
	title, x string
	step     string // what one more of n is
	sizes    []int
	ways     []realWay
}

// A realWay is a callback's work and where it runs.
type realWay struct{ name, strategy, work string }

var realCallbacks = []realCallback{
	{"a vulnerable regular expression", "n, the slashes before the line feed", "slash", []int{12, 16, 20}, []realWay{
		{"on the loop", inline, "cpu_regex:n=%d"},
		{"offloaded", "event_loop_offload", "cpu_regex:n=%d"},
		{"on the loop, a linear engine", inline, "cpu_regex:engine=linear,n=%d"},
	}},
	{"JSON written and read", "n, how often the object is doubled", "doubling", []int{5, 8, 11}, []realWay{
		{"on the loop", inline, "cpu_json:n=%d"},
		{"offloaded", "event_loop_offload", "cpu_json:n=%d"},
	}},
}

// realClients ask again as soon as they are answered.
const realClients = 8

func realCallbackCell(way realWay, n int, size Size) bench.Scenario {
	return bench.Scenario{
		Strategy: strategy(way.strategy)[0],
		Limit:    limit,
		Queue:    realClients,
		Workload: workload(fmt.Sprintf(way.work, n))[0],
		Load:     bench.Load{Arrival: arrival(fmt.Sprintf("closed:clients=%d,think=const(0s)", realClients))[0]},
		Stop:     bench.Stop{Duration: [...]time.Duration{60, 300, 1000}[size] * time.Millisecond, Warmup: 0.1},
		Seed:     1,
		Clock:    bench.Real,
	}
}

func answerRealCallbacks(m *measured, f *Finding) {
	for _, work := range realCallbacks {
		least, most := work.sizes[0], work.sizes[len(work.sizes)-1]
		ends := []bench.Scenario{realCallbackCell(work.ways[0], most, Quick), realCallbackCell(work.ways[0], least, Quick)}
		const service = "p50-service-sec"
		growth := math.Pow(best(m, ends[0], service, slices.Min)/best(m, ends[1], service, slices.Min), 1/float64(most-least))
		if math.IsNaN(growth) {
			continue
		}
		var each []string
		for _, way := range work.ways {
			each = append(each, fmt.Sprintf("%s %s", roughly(best(m, realCallbackCell(way, most, Quick), meanResponse, slices.Min)), way.name))
		}
		f.add("for real, %s: each %s makes a callback ×%s as long; at n = %d each of %d clients is answered after %s, at n = %d after %s", work.title,
			work.step, short(growth), least, realClients, roughly(best(m, ends[1], meanResponse, slices.Min)), most, strings.Join(each, ", "))
	}
}

func drawRealCallbacks(m *measured) (f reports.Figure, err error) {
	var planes []charts.Plane
	for _, work := range realCallbacks {
		p := charts.Plane{
			Panel: charts.Panel{Title: work.title},
			X:     charts.Axis{Label: work.x, Name: "n"},
			Y:     charts.Axis{Label: "mean response (log scale)", Log: true, Format: charts.Seconds},
		}
		for style, way := range work.ways {
			s := charts.Series{Name: way.name, Style: style}
			for _, n := range work.sizes {
				if response := best(m, realCallbackCell(way, n, Quick), meanResponse, slices.Min); !math.IsNaN(response) {
					add(&s, float64(n), interval{response, math.NaN(), math.NaN()})
				}
			}
			p.Series = append(p.Series, s)
		}
		for _, n := range work.sizes {
			p.X.Marks = append(p.X.Marks, float64(n))
		}
		planes = append(planes, p)
	}
	c, err := charts.Planes("Two callbacks that grow out of hand, for real", planes)
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("Real clock, this machine: what each of %d clients waits for when all send such an input", realClients)
	return reports.Figure{Name: "eventloop-real", Chart: c, Caption: strings.Join([]string{
		"A straight line upwards is exponential growth: no number of workers keeps up with it, and another algorithm does.",
		"Neither can be cut into steps from outside, so there is no partitioned line.",
		fmt.Sprintf("Points: the best of %s repetitions, as what else runs on the machine only makes them slower.", m.repetitions([]bench.Scenario{realCallbackCell(realCallbacks[0].ways[0], realCallbacks[0].sizes[0], Quick)})),
	}, " ")}, nil
}

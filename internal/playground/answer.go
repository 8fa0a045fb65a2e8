// Package playground runs strategies under the virtual clock for a page in the reader's browser
// (reports/playground). Its program is wasm.
package playground

import (
	"context"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/strategies"
)

// A run cannot be interrupted.
const MaxTasks = 200_000

// Times are in seconds.
type Answer struct {
	Metrics []result.Metric // all metrics of the run, as in results.txt
	Rate    float64         // planned arrivals per second
	Mean    float64         // planned mean time of a task
	Verdict string
	Reasons []string // why the run is not VALID
	// response by quantile, in steps of a tenth of a nine: 0.99 has two nines. nil: too few tasks
	Curve            []Point
	InFlight, Queued []Point
}

type Point struct{ X, Y float64 }

func Run(ctx context.Context, w bench.Encoded) (*Answer, error) {
	w.Clock = bench.Virtual.String()
	if w.Tasks < 1 || w.Tasks > MaxTasks || w.Duration != 0 {
		return nil, fmt.Errorf("n: want 1 to %d tasks, got %d", MaxTasks, w.Tasks)
	}
	s, err := w.Scenario()
	if err != nil {
		return nil, err
	}
	r, err := bench.Run(ctx, s)
	if err != nil {
		return nil, err
	}
	a := &Answer{Metrics: r.Metrics, Verdict: r.Verdict.String()}
	for _, why := range r.Reasons {
		a.Reasons = append(a.Reasons, why.Text)
	}
	for _, b := range r.Timeline {
		at := (b.Start + b.Length).Seconds()
		a.InFlight = append(a.InFlight, Point{at, float64(b.InFlight)})
		a.Queued = append(a.Queued, Point{at, float64(b.Queued)})
	}
	if work, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values); err == nil {
		a.Mean = work.Mean().Seconds()
		if a.Rate = w.Rate; a.Rate == 0 {
			a.Rate = w.Load * float64(w.Limit) / a.Mean
		}
	}
	for _, of := range r.Readings {
		if of.Of != metric.Response {
			continue
		}
		h, err := hdrhistogram.Decode([]byte(of.Histogram))
		if err != nil {
			return nil, err
		}
		a.Curve = curve(h)
	}
	return a, nil
}

// curve ends at the highest quantile that the number of tasks resolves.
func curve(h *hdrhistogram.Histogram) (points []Point) {
	n := int(h.TotalCount())
	for i := 0; ; i++ {
		nines := float64(i) / 10
		q := 1 - math.Pow(10, -nines)
		if !statistics.Resolvable(q, n) {
			return points
		}
		rank := max(statistics.Rank(n, q), 1)
		points = append(points, Point{nines, float64(result.ValueAtRank(h, rank)) / 1e9})
	}
}

type Choice struct {
	Name, Summary, UseIf string
	Queue, Sheds         bool
}

// Choices returns the strategies that run under the virtual clock without parameters.
func Choices() (all []Choice) {
	for _, s := range strategies.All() {
		if _, err := strategies.Parse(s.Name); s.RealClock || err != nil {
			continue
		}
		all = append(all, Choice{s.Name, s.Summary, s.UseIf, s.UsesQueue, s.Sheds})
	}
	return all
}

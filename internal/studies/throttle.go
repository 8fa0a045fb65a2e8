package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// throttle sends the same work at a target that admits 300 calls a second, below and above that rate. A limit on
// concurrency is not a limit on a rate: the share of throttled tasks says how far the strategies help.
//
// The claim holds where a worker pool takes away nine tenths of what is throttled without it, at every rate and kind of arrivals; it does
// not hold where nowhere even a tenth is taken away; else it depends. Where less than one task in a hundred is throttled anyway, nothing is to be had.
var _ = register(Study{
	Name:     "throttle",
	Question: "does a limit on concurrency keep a rate-limited target from refusing?",
	Claim:    "a bounded pool keeps a rate-limited target from refusing calls",
	Count:    [3]int{1, 3, 10},
	Cells:    func(size Size) []bench.Scenario { return throttleSweep(size, familiar()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return throttleSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeThrottle,
	Draw:  drawThrottle,
})

// What the target admits in a second, and at once; how many tasks a bulk has; and how many tasks come in a second.
const (
	throttleRate  = 300
	throttleBurst = 10
	throttleBulk  = 100
)

var throttleRates = []float64{200, 290, 380}

var throttleArrivals = []string{"poisson", fmt.Sprintf("bulk:n=%d", throttleBulk)}

func throttleSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload("exponential:mean=10ms"),
		Targets:    target(fmt.Sprintf("token_bucket:rate=%d,burst=%d", throttleRate, throttleBurst)),
		Arrivals:   arrival(throttleArrivals...),
		Limits:     []int{limit},
		Rates:      throttleRates,
		Stop:       bench.Stop{Tasks: [...]int{10_000, 20_000, 200_000}[size], Warmup: 0.1},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

func judgeThrottle(m *measured) Finding {
	free, pool := throttleSweep(Quick, strategy("unbounded")), throttleSweep(Quick, strategy("worker_pool"))
	least, most, little, much := math.Inf(1), math.Inf(-1), "", ""
	var lines []string
	for i, sc := range free {
		without, with := m.mean(sc, "throttled/op").mid, m.mean(pool[i], "throttled/op").mid
		if math.IsNaN(without) || math.IsNaN(with) {
			return undecided("unbounded or worker_pool was not measured with %s arrivals at %v/s", sc.Load.Arrival, sc.Load.PerSecond)
		}
		where := fmt.Sprintf("%s arrivals at %v/s", sc.Load.Arrival, sc.Load.PerSecond)
		lines = append(lines, fmt.Sprintf("%s: %s throttled without a bound, %s with %d workers", where, percent(without), percent(with), limit))
		if without < 0.01 {
			continue
		}
		avoided := 1 - with/without
		if avoided > most {
			most, much = avoided, where
		}
		if avoided < least {
			least, little = avoided, where
		}
	}
	if math.IsInf(least, 1) {
		return undecided("nothing was throttled")
	}
	f := Finding{Lines: lines}
	switch {
	case least >= 0.9:
		f.Verdict, f.Because = Holds, fmt.Sprintf("%d workers take away at least %s of what is throttled without them", limit, percent(least))
	case most < 0.1:
		f.Verdict, f.Because = DoesNotHold, fmt.Sprintf("%d workers take away at most %s of what is throttled without them: a limit on concurrency is none on a rate", limit, percent(most))
	default:
		f.Verdict, f.Because = Depends, fmt.Sprintf("on the arrivals: %d workers take away %s of what is throttled without them with %s, and %s with %s", limit, percent(most), much, ofNote(least), little)
	}
	return f
}

// ofNote is percent, for what may be less than nothing by chance.
func ofNote(share float64) string {
	if share < 0.01 {
		return "less than 1 %"
	}
	return percent(share)
}

func drawThrottle(m *measured) ([]reports.Figure, error) {
	planes := make([]charts.Plane, len(throttleArrivals))
	for i, title := range []string{"Poisson arrivals", fmt.Sprintf("bulks of %d", throttleBulk)} {
		planes[i] = charts.Plane{
			Panel: charts.Panel{Title: title},
			X:     charts.Axis{Label: "tasks that come in a second", Name: "rate", Marks: throttleRates},
			Y:     charts.Axis{Label: "share of the tasks that is throttled", Format: percent, Reach: []float64{0, 1}},
		}
	}
	known := names(familiar())
	for _, name := range append(known, m.others(known, func(name string) bench.Scenario { return throttleSweep(Quick, strategy(name))[0] })...) {
		series := make([]charts.Series, len(planes))
		for _, sc := range throttleSweep(Quick, strategy(name)) {
			for i, of := range arrival(throttleArrivals...) {
				if values := m.values(sc, "throttled/op"); sc.Load.Arrival.String() == of.String() && len(values) > 0 {
					series[i].Name, series[i].Style = name, m.style(sc)
					add(&series[i], sc.Load.PerSecond, ofMedian(values))
				}
			}
		}
		for i, s := range series {
			if len(s.X) == 0 {
				continue
			}
			if planes[i].Series = append(planes[i].Series, s); name == known[0] {
				planes[i].Series = append(planes[i].Series, throttleFree(i, s.Style))
			}
		}
	}
	if len(planes[0].Series)+len(planes[1].Series) == 0 {
		return nil, &charts.EmptyError{Chart: "throttle"}
	}
	for i := range planes {
		planes[i].Remarks = []charts.Remark{{Sign: charts.Foot, X: throttleRate, Y: 1, Text: []string{fmt.Sprintf("%d/s", throttleRate), "admitted"}}}
	}
	c, err := charts.Planes("A limit on concurrency is none on a rate: it only spreads a burst a little", planes)
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("A target that admits %d calls a second and %d at once; exponential tasks of 10 ms, limit %d", throttleRate, throttleBurst, limit)
	return []reports.Figure{{Name: "throttle", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("Above the %d/s that are admitted the rest is refused, however few calls are under way. In a bulk, all but the %d allowed at once are refused if they are sent at once; a limit sends them one after another, which is as fast as refusals come.", throttleRate, throttleBurst),
		fmt.Sprintf("Bands, without a bound: left the least that the rate leaves to refuse, 1 − %d/rate; right exactly 1 − %d/%d.", throttleRate, throttleBurst, throttleBulk),
		fmt.Sprintf("%s refuses most of a bulk itself, which is not counted here.", shedding),
		m.medians(throttleSweep(Quick, familiar())),
	}, " ")}}, nil
}

// throttleFree is what the target has to refuse without a bound: of Poisson arrivals at least what comes above the rate that it admits, of a bulk, which
// comes after the bucket is full again, all but the burst.
func throttleFree(arrivals, style int) charts.Series {
	s := charts.Series{Name: "unbounded", Style: style, Theory: true}
	first, last := throttleRates[0], throttleRates[len(throttleRates)-1]
	if arrivals == 1 {
		share := 1 - float64(throttleBurst)/throttleBulk
		s.X, s.Y = []float64{first, last}, []float64{share, share}
		return s
	}
	for rate := first; rate <= last; rate += 10 {
		s.X, s.Y = append(s.X, rate), append(s.Y, max(0, 1-throttleRate/rate))
	}
	return s
}

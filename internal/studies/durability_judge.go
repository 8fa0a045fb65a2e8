package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

var outlived = [...]string{"nothing", "SIGKILL", "power loss"}

type durableCost struct {
	strategy    strategies.Variant
	survives    strategies.Durability
	perSecond   evidence.Interval // tasks per second completed for the clients
	undisturbed evidence.Interval // the same, without repetitions short of processor time
	time        evidence.Interval
	idle, cpu   evidence.Interval
	written     evidence.Interval // bytes written to the disk by this process
}

func durableCosts(m *evidence.Measured) (costs []durableCost, missing []strategies.Variant) {
	all := durableVariants()
	clients := func(v strategies.Variant) bench.Scenario { return durableCells(Quick, v)[0] }
	for _, name := range m.Others(names(all), func(name string) bench.Scenario {
		return clients(strategy(name)[0])
	}) {
		all = append(all, strategy(name)...)
	}
	for _, v := range all {
		sc := clients(v)
		done := m.Values(sc, metric.Throughput)
		if len(done) == 0 {
			missing = append(missing, v)
			continue
		}
		c := durableCost{strategy: v,
			survives:  v.Spec.Survives(strategies.Params{Limit: limit, Values: v.Values}),
			perSecond: evidence.OfProduct(done),
			undisturbed: evidence.OfProduct(m.Numbers(sc, func(r evidence.Run) float64 {
				if r(metric.CPUWait) > crowded {
					return math.NaN()
				}
				return r(metric.Throughput)
			})),
			time: evidence.OfMedian(m.Numbers(sc,
				func(r evidence.Run) float64 { return 1 / r(metric.Throughput) })),
			cpu: m.Median(sc, metric.CPUPerOp), written: m.Median(sc, metric.WrittenBytes),
			idle: evidence.OfMedian(nil)}
		for _, rate := range slices.Backward(durableRates[Full]) {
			if waits := m.Values(durableAt(Full, v, rate), metric.P50Wait); len(waits) > 0 {
				c.idle = evidence.OfMedian(waits)
			}
		}
		costs = append(costs, c)
	}
	slices.SortStableFunc(costs, func(a, b durableCost) int {
		return cmp.Or(cmp.Compare(a.survives, b.survives), cmp.Compare(a.time.Mid, b.time.Mid))
	})
	return costs, missing
}

func judgeDurability(m *evidence.Measured) decide.Finding {
	costs, missing := durableCosts(m)
	r := evidence.Ruling{Of: "strategy", More: []string{"survives", "time a task",
		"idle start", "bytes"}, Number: "tasks a second",
		Format: func(in evidence.Interval) string { return in.Write(text.Short) }}
	least, most := math.Inf(1), 0.0 // cost of a durable task
	for _, c := range costs {
		more := []string{outlived[c.survives], evidence.Short(c.time, evidence.Roughly),
			evidence.Short(c.idle.Positive(), evidence.Roughly),
			evidence.Short(c.written.Positive(), text.Short)}
		if c.survives == strategies.Volatile {
			r.Show(c.strategy.String(), c.perSecond, more...)
			continue
		}
		r.Certain(c.strategy.String(), c.perSecond, c.undisturbed.Hi < durableRate,
			c.perSecond.Lo >= durableRate, more...)
		least, most = min(least, c.time.Mid), max(most, c.time.Mid)
	}
	var unnamed []string // not needed by the rule
	for _, v := range missing {
		if v.Spec.Needs == "" && v.Spec.Survives(strategies.Params{Limit: limit,
			Values: v.Values}) > strategies.Volatile { // results of the others remain valid
			r.Cases = append(r.Cases, evidence.Case{Name: v.String(), Number: evidence.OfMean(nil),
				More: []string{evidence.Dash, evidence.Dash, evidence.Dash, evidence.Dash}})
		} else if v.Spec.Needs != "" {
			unnamed = append(unnamed, fmt.Sprintf("%s (needs %s)", v, v.Spec.Needs))
		}
	}
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("each durable strategy completes fewer than %d tasks a second",
			durableRate),
		DoesNotHold: fmt.Sprintf("each durable strategy completes at least %d tasks a second",
			durableRate),
		Depends: "on the strategy",
	}, fmt.Sprintf("whether a durable strategy completes %d tasks a second", durableRate))
	if f.Verdict != decide.ClaimUndecided {
		between := func(from, to float64, number func(float64) string) string {
			return strings.Join(slices.Compact([]string{number(from), number(to)}), " to ")
		}
		f.Advice = fmt.Sprintf("durability costs %s per task here: too slow above %s tasks a "+
			"second, and fast enough below", between(least, most, evidence.Roughly),
			between(evidence.Rounded(1/most), evidence.Rounded(1/least), text.Short))
	}
	if took := evidence.OfMedian(m.Values(diskCell(Quick), metric.P50Service)); took.Mid > 0 {
		f.Add("appending 256 bytes to a file and waiting for the disk (fsync) needs %s",
			took.Write(evidence.Roughly))
	}
	waited := 0.0
	for _, c := range costs {
		if w := m.Lowest(durableCells(Quick, c.strategy)[0], metric.CPUWait); w > waited {
			waited = w // NaN, on systems without this metric, is never above
		}
	}
	if waited > crowded {
		f.Add("ready threads waited for a processor for up to %s of the time, in the best "+
			"repetition: repeat the study on an idle machine", text.ShortShare(waited))
	}
	f.AddLines(evidence.IfAny(unnamed, "not measured"))
	return f
}

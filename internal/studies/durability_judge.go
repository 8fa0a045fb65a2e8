package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

var outlived = [...]string{"nothing", "SIGKILL", "a loss of power"}

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
			undisturbed: evidence.OfProduct(m.Of(sc, func(r evidence.Run) float64 {
				if r(metric.CPUWait) > crowded {
					return math.NaN()
				}
				return r(metric.Throughput)
			})),
			time: evidence.OfMedian(m.Of(sc,
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
	var lacking []strategies.Variant // needed by the rule
	var unnamed []string             // not needed by the rule
	for _, v := range missing {
		if v.Spec.Needs == "" && v.Spec.Survives(strategies.Params{Limit: limit,
			Values: v.Values}) > strategies.Volatile {
			lacking = append(lacking, v)
		} else if v.Spec.Needs != "" {
			unnamed = append(unnamed, fmt.Sprintf("%s (needs %s)", v, v.Spec.Needs))
		}
	}
	notMeasured := evidence.Said(unnamed, "not measured")
	var r evidence.Ruling
	least, most := math.Inf(1), 0.0 // cost of a durable task
	for _, c := range costs {
		if c.survives == strategies.Volatile {
			continue
		}
		slow, enough := c.undisturbed.Hi < durableRate, c.perSecond.Lo >= durableRate
		said := fmt.Sprintf("%s %s/s", c.strategy, text.Short(c.perSecond.Mid))
		if !enough && math.IsNaN(c.undisturbed.Mid) {
			said += " while other programs had the processors"
		}
		r.Cases = append(r.Cases, evidence.Case{Yes: slow, No: enough, NotYes: enough, NotNo: slow,
			Said: said})
		least, most = min(least, c.time.Mid), max(most, c.time.Mid)
	}
	for _, v := range lacking { // results of the others remain valid
		r.Cases = append(r.Cases, evidence.Case{Said: v.String() + " has no run that can be used"})
	}
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("each durable strategy completes fewer than %d tasks a second: %s",
			durableRate, evidence.Series(r.So())),
		DoesNotHold: fmt.Sprintf("each durable strategy completes at least %d tasks a second: %s",
			durableRate, evidence.Series(r.Not())),
		Depends: fmt.Sprintf("on the strategy: at least %d tasks a second complete with %s, "+
			"fewer with %s", durableRate, evidence.Series(r.Not()), evidence.Series(r.So())),
	}, "whether a durable strategy completes %d tasks a second", durableRate)
	if f.Verdict != decide.ClaimUndecided {
		f.Advice = fmt.Sprintf("durable costs %s a task here: too slow above %s tasks a second; "+
			"below, it is not the queue that is slow", costRange(least, most, evidence.Roughly),
			costRange(evidence.Rounded(1/most), evidence.Rounded(1/least), text.Short))
	}
	f.Say(durableLines(m, costs)...)
	waited := 0.0
	for _, c := range costs {
		if w := m.Lowest(durableCells(Quick, c.strategy)[0], metric.CPUWait); w > waited {
			waited = w // NaN, on systems without this metric, is never above
		}
	}
	if waited > crowded {
		f.Add("ready threads waited for a processor for up to %s of the time, in the best "+
			"repetition: repeat it on a quiet machine", text.ShortShare(waited))
	}
	f.Say(notMeasured)
	return f
}

func costRange(from, to float64, number func(float64) string) string {
	if number(from) == number(to) {
		return number(from)
	}
	return number(from) + " to " + number(to)
}

func durableLines(m *evidence.Measured, costs []durableCost) (lines []string) {
	if took := evidence.OfMedian(m.Values(diskCell(Quick), metric.P50Service)); took.Mid > 0 {
		lines = append(lines, "to append 256 bytes to a file and to wait for the disk (fsync) "+
			"takes "+took.Write(evidence.Roughly))
	}
	pool := math.NaN()
	said := map[strategies.Durability][]string{}
	for _, c := range costs {
		if c.strategy.String() == pooled {
			pool = c.time.Mid
		}
	}
	var idle, written []string
	for _, c := range costs {
		s := fmt.Sprintf("%s %s", c.strategy, evidence.Roughly(c.time.Mid))
		if times := c.time.Mid / pool; times >= 2 {
			s += fmt.Sprintf(" (×%s)", text.Short(math.Round(times)))
		}
		said[c.survives] = append(said[c.survives], s)
		if c.idle.Mid > 0 {
			idle = append(idle, fmt.Sprintf("%s %s", c.strategy, evidence.Roughly(c.idle.Mid)))
		}
		if c.written.Mid > 0 {
			written = append(written, fmt.Sprintf("%s %s", c.strategy,
				text.Short(c.written.Mid)))
		}
	}
	for level := strategies.Volatile; level <= strategies.PowerSafe; level++ {
		lines = append(lines, evidence.Said(evidence.Ends(said[level]), "a task that outlives %s "+
			"costs, beside one of %s", outlived[level], pooled))
	}
	lines = append(lines, evidence.Said(evidence.Ends(idle),
		"from due to the start of a task, with consumers idle"), evidence.Said(evidence.Ends(written),
		"bytes that a task has this process write to the disk, in whole pages"))
	for _, rate := range durableRates[Full] {
		var responses, behind, unusable []string
		for _, c := range costs {
			sc := durableAt(Full, c.strategy, rate)
			p50, p99 := m.Median(sc, metric.P50Response), m.Median(sc, p99Response)
			switch {
			case c.perSecond.Mid < rate:
				behind = append(behind, c.strategy.String())
				continue
			case math.IsNaN(p50.Mid):
				unusable = append(unusable, c.strategy.String())
				continue
			}
			s := fmt.Sprintf("%s %s", c.strategy, evidence.Roughly(p50.Mid))
			if !math.IsNaN(p99.Mid) {
				s += " (p99 " + evidence.Roughly(p99.Mid) + ")"
			}
			responses = append(responses, s)
		}
		if len(responses) == 0 { // the size omits this rate
			continue
		}
		lines = append(lines, fmt.Sprintf("at %.0f tasks a second, p50 response from due: %s",
			rate, evidence.Series(evidence.Ends(responses))),
			evidence.Said(behind, "%.0f tasks a second are more than these complete", rate),
			evidence.Said(evidence.Ends(unusable), "at %.0f tasks a second, no run can be used, as where the one "+
				"who submits waits for each confirmation too long", rate))
	}
	return lines
}

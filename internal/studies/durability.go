package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
)

// durability sets durable strategies beside pools within the process. The tasks hash a single
// block, next to nothing, so that what is measured is the queue: Submit until it has confirmed, the
// way to a consumer, and the acknowledgement. Eight clients, each of which waits for its task, say
// how many tasks a second it completes, and so what a task costs; Poisson arrivals say how it
// responds at a rate, from due; and of those the lowest rate says how long a task takes to reach an
// idle consumer. A file that is synced for each task says what the disk takes alone.
//
// The claim is judged on each strategy whose tasks outlive the process. One completes enough where
// the interval of what it completes is at or above durableRate, and too little where the interval
// is below, over the repetitions in which its threads waited for a processor for less than a fifth
// of the time: other programs make a queue slower, and none makes it faster. The claim holds where
// each completes too little, does not hold where each completes enough, and depends on the strategy
// where there is both.
//
// Strategies that need a server take part where one is named; the finding names the others.
var _ = register(Study{
	Name:     "durability",
	Question: "what does it cost that accepted tasks survive, and is a durable queue fast enough?",
	Claim:    "a durable queue is too slow for 1000 tasks a second",
	Count:    [3]int{3, 4, 10},
	Budget:   60 * time.Second,
	Apart:    true,
	Cells: func(size Size) []bench.Scenario {
		cells := []bench.Scenario{diskCell(size)}
		for _, v := range durableVariants() {
			if v.Spec.Ready == nil || v.Spec.Ready() == nil {
				cells = append(cells, durableCells(size, v)...)
			}
		}
		return cells
	},
	With: func(size Size, v strategies.Variant) []bench.Scenario { return durableCells(size, v) },
	Takes: func(v strategies.Variant) error {
		if !takesAll(v.Spec) {
			return fmt.Errorf("%s refuses what finds no slot and has no queue: it would not do all "+
				"tasks", v)
		}
		return nil
	},
	Advice: evidence.Sentences{
		Holds: "keep tasks in the process at such rates, or hand over many in one message",
		DoesNotHold: "take a durable queue where tasks must survive: at such rates it is not the " +
			"queue that is slow",
		Depends: "choose by what must survive: what costs is waiting for the disk or the server",
	},
	Judge: judgeDurability,
	Draw:  []drawing{drawDurability},
})

// takesAll reports whether a strategy does more tasks than its limit at once, in the end.
func takesAll(spec strategies.Spec) bool { return !spec.Sheds || spec.UsesQueue }

// durableRate is the one that the claim is about, in tasks a second.
const durableRate = 1000

// durableRates are those of the Poisson arrivals, in tasks a second, by the size of the study.
var durableRates = [3][]float64{{100, durableRate}, {10, 100, durableRate, 5000},
	{10, 100, durableRate, 5000}}

// durableSpans are how long the clients run, and the arrivals of each rate.
var durableSpans = [3]struct {
	clients time.Duration
	at      map[float64]time.Duration
}{
	{200 * time.Millisecond, map[float64]time.Duration{100: 300 * time.Millisecond,
		durableRate: 300 * time.Millisecond}},
	{400 * time.Millisecond, map[float64]time.Duration{10: time.Second,
		100: 500 * time.Millisecond, durableRate: 500 * time.Millisecond,
		5000: 400 * time.Millisecond}},
	{2 * time.Second, map[float64]time.Duration{10: 10 * time.Second, 100: 5 * time.Second,
		durableRate: 3 * time.Second, 5000: 2 * time.Second}},
}

// embedded are the strategies that need no server: two pools, and from what survives least to what
// survives most.
var embedded = []string{pooled, "dispatcher", "jetstream:store=memory", "jetstream",
	"sqlite_queue:sync=normal", "jetstream:sync=always", "sqlite_queue"}

// durableVariants are the embedded strategies and each that needs a server, also one that is not
// named, with its defaults and with each other value of a choice of its own.
func durableVariants() []strategies.Variant {
	all := strategy(embedded...)
	common := map[string]bool{}
	for _, k := range strategies.BrokerKeys() {
		common[k.Name] = true
	}
	for _, spec := range strategies.All() {
		if spec.Needs == "" {
			continue
		}
		all = append(all, strategy(spec.Name)...)
		for _, k := range spec.Keys {
			for _, choice := range k.Choices {
				if k.Kind == param.Choice && !common[k.Name] && choice != k.Default {
					all = append(all, strategy(spec.Name+":"+k.Name+"="+choice)...)
				}
			}
		}
	}
	return all
}

func durableCells(size Size, v strategies.Variant) []bench.Scenario {
	cells := []bench.Scenario{durableCell(v, by("closed:clients=8,think=const(0s)", 0),
		bench.Stop{Duration: durableSpans[size].clients, Warmup: 0.1})}
	for _, rate := range durableRates[size] {
		cells = append(cells, durableAt(size, v, rate))
	}
	return cells
}

// durableAt has Poisson arrivals of that many tasks a second.
func durableAt(size Size, v strategies.Variant, rate float64) bench.Scenario {
	return durableCell(v, bench.Load{Arrival: arrival("poisson")[0], PerSecond: rate},
		bench.Stop{Duration: durableSpans[size].at[rate]})
}

func durableCell(v strategies.Variant, load bench.Load, stop bench.Stop) bench.Scenario {
	sc := scenario(pooled, "cpu_sha256:blocks=1", load, stop)
	sc.Strategy, sc.Clock = v, bench.Real
	if v.Spec.UsesQueue {
		sc.Queue = room
	}
	return sc
}

// diskCell has one task at a time, which waits for the disk.
func diskCell(size Size) bench.Scenario {
	sc := scenario(pooled, "file_sync", by("closed:clients=1,think=const(0s)", 0),
		bench.Stop{Duration: durableSpans[size].clients})
	sc.Clock = bench.Real
	return sc
}

// outlived says in a sentence what a task outlives.
var outlived = [...]string{"nothing", "SIGKILL", "a loss of power"}

// A durableCost is what a task of a strategy costs, in seconds.
type durableCost struct {
	strategy    strategies.Variant
	survives    strategies.Durability
	perSecond   evidence.Interval // completed by the clients
	undisturbed evidence.Interval // in the repetitions in which it had the processors
	time        evidence.Interval
	idle, cpu   evidence.Interval
}

// durableCosts are those of the strategies that were measured, what survives least first, and of
// that the cheapest; and the variants of the study that were not measured.
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
		done := m.Values(sc, "ops/s")
		if len(done) == 0 {
			missing = append(missing, v)
			continue
		}
		c := durableCost{strategy: v,
			survives:  v.Spec.Survives(strategies.Params{Limit: limit, Values: v.Values}),
			perSecond: evidence.OfProduct(done),
			undisturbed: evidence.OfProduct(m.Of(sc, func(r evidence.Run) float64 {
				if r("cpu-wait") > crowded {
					return math.NaN()
				}
				return r("ops/s")
			})),
			time: evidence.OfMedian(m.Of(sc,
				func(r evidence.Run) float64 { return 1 / r("ops/s") })),
			cpu: m.Median(sc, "cpu-sec/op"), idle: evidence.OfMedian(nil)}
		for _, rate := range slices.Backward(durableRates[Full]) {
			if waits := m.Values(durableAt(Full, v, rate), "p50-wait-sec"); len(waits) > 0 {
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

func judgeDurability(m *evidence.Measured) finding.Finding {
	costs, missing := durableCosts(m)
	var lacking, unnamed []string // what the rule needs, and what it does without
	for _, v := range missing {
		if v.Spec.Needs == "" {
			lacking = append(lacking, v.String())
		} else {
			unnamed = append(unnamed, fmt.Sprintf("%s (needs %s)", v, v.Spec.Needs))
		}
	}
	notMeasured := words.Said(unnamed, "not measured")
	if len(lacking) > 0 {
		f := evidence.Missing("%d strategies have no run that can be used: %s", len(lacking),
			words.Series(lacking))
		f.Say(notMeasured)
		return f
	}
	var r evidence.Ruling
	least, most := math.Inf(1), 0.0 // what a durable task costs
	for _, c := range costs {
		if c.survives == strategies.Volatile {
			continue
		}
		slow, enough := c.undisturbed.Hi < durableRate, c.perSecond.Lo >= durableRate
		r.Cases = append(r.Cases, evidence.Case{Yes: slow, No: enough, NotYes: enough, NotNo: slow,
			Said: fmt.Sprintf("%s %s/s", c.strategy, words.Short(c.perSecond.Mid))})
		least, most = min(least, c.time.Mid), max(most, c.time.Mid)
	}
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("each durable strategy completes fewer than %d tasks a second: %s",
			durableRate, words.Series(r.So())),
		DoesNotHold: fmt.Sprintf("each durable strategy completes at least %d tasks a second: %s",
			durableRate, words.Series(r.Not())),
		Depends: fmt.Sprintf("on the strategy: at least %d tasks a second complete with %s, "+
			"fewer with %s", durableRate, words.Series(r.Not()), words.Series(r.So())),
	}, "whether a durable strategy completes %d tasks a second", durableRate)
	if f.Verdict != finding.Undecided {
		f.Advice = fmt.Sprintf("durable costs %s a task here: too slow above %s tasks a second; "+
			"below, it is not the queue that is slow", costRange(least, most, words.Roughly),
			costRange(words.Rounded(1/most), words.Rounded(1/least), words.Short))
	}
	f.Say(durableLines(m, costs)...)
	waited := 0.0
	for _, c := range costs {
		if w := m.Lowest(durableCells(Quick, c.strategy)[0], "cpu-wait"); w > waited {
			waited = w // NaN, where no system tells, is above nothing
		}
	}
	if waited > crowded {
		f.Add("ready threads waited for a processor for up to %s of the time, in the best "+
			"repetition: repeat it on a quiet machine", words.Percent(waited))
	}
	f.Say(notMeasured)
	return f
}

// costRange is a range, or the number that it begins and ends with.
func costRange(from, to float64, number func(float64) string) string {
	if number(from) == number(to) {
		return number(from)
	}
	return number(from) + " to " + number(to)
}

// durableLines are what else the runs say.
func durableLines(m *evidence.Measured, costs []durableCost) (lines []string) {
	if took := evidence.OfMedian(m.Values(diskCell(Quick), "p50-service-sec")); took.Mid > 0 {
		lines = append(lines, "to append 256 bytes to a file and to wait for the disk (fsync) "+
			"takes "+took.Write(words.Roughly))
	}
	pool := math.NaN()
	said := map[strategies.Durability][]string{}
	for _, c := range costs {
		if c.strategy.String() == pooled {
			pool = c.time.Mid
		}
	}
	var idle []string
	for _, c := range costs {
		text := fmt.Sprintf("%s %s", c.strategy, words.Roughly(c.time.Mid))
		if times := c.time.Mid / pool; times >= 2 {
			text += fmt.Sprintf(" (×%s)", words.Short(math.Round(times)))
		}
		said[c.survives] = append(said[c.survives], text)
		if c.idle.Mid > 0 {
			idle = append(idle, fmt.Sprintf("%s %s", c.strategy, words.Roughly(c.idle.Mid)))
		}
	}
	for level := strategies.Volatile; level <= strategies.PowerSafe; level++ {
		lines = append(lines, words.Said(said[level], "a task that outlives %s costs, beside one "+
			"of %s", outlived[level], pooled))
	}
	lines = append(lines, words.Said(idle, "from due to the start of a task, with consumers idle"))
	for _, rate := range durableRates[Full] {
		var responses, behind, unusable []string
		for _, c := range costs {
			sc := durableAt(Full, c.strategy, rate)
			p50, p99 := m.Median(sc, "p50-response-sec"), m.Median(sc, p99Response)
			switch {
			case c.perSecond.Mid < rate:
				behind = append(behind, c.strategy.String())
				continue
			case math.IsNaN(p50.Mid):
				unusable = append(unusable, c.strategy.String())
				continue
			}
			text := fmt.Sprintf("%s %s", c.strategy, words.Roughly(p50.Mid))
			if !math.IsNaN(p99.Mid) {
				text += " (p99 " + words.Roughly(p99.Mid) + ")"
			}
			responses = append(responses, text)
		}
		if len(responses) == 0 { // the size of the study is without this rate
			continue
		}
		lines = append(lines, fmt.Sprintf("at %.0f tasks a second, p50 response from due: %s",
			rate, strings.Join(responses, ", ")),
			words.Said(behind, "%.0f tasks a second are more than these complete", rate),
			words.Said(unusable, "at %.0f tasks a second, no run can be used, as where the one "+
				"who submits waits for each confirmation too long", rate))
	}
	return lines
}

func drawDurability(m *evidence.Measured) evidence.Figure {
	costs, _ := durableCosts(m)
	if !slices.ContainsFunc(costs,
		func(c durableCost) bool { return c.survives > strategies.Volatile }) {
		return evidence.Figure{}
	}
	panels := []charts.RowPanel{
		{Title: "cost of a task, eight clients", X: evidence.Log("seconds", charts.Seconds)},
		{Title: "from due to start, idle", X: evidence.Log("seconds", charts.Seconds)},
		{Title: "CPU of a task, without servers", X: evidence.Log("seconds", charts.Seconds)},
	}
	if disk := evidence.OfMedian(m.Values(diskCell(Quick), "p50-service-sec")); disk.Mid > 0 {
		panels[0].Levels = []charts.Level{{Name: "an fsync of this disk", Y: disk.Mid}}
	}
	var rows []string
	var cells []bench.Scenario
	for _, c := range costs {
		rows = append(rows, c.strategy.String())
		cells = append(cells, durableCells(Quick, c.strategy)[0])
	}
	for level := strategies.Volatile; level <= strategies.PowerSafe; level++ {
		evidence.AddRows(panels, "survives "+level.String(), int(level), len(costs),
			func(row int) []evidence.Interval {
				c := costs[row]
				if c.survives != level {
					return nil
				}
				return []evidence.Interval{c.time, c.idle.Positive(), c.cpu.Positive()}
			})
	}
	return evidence.Figure{
		Name:  "durability-cost",
		Title: "What a task costs, by what it survives",
		Subtitle: fmt.Sprintf("Tasks that do next to nothing, limit %d; real clock, this machine "+
			"and its disk", limit),
		Caption: []string{
			"The cost is the inverse of what eight clients complete in a second.",
			"The wait of a lone task has Submit in it, and so the confirmation.",
			"CPU is that of this process, which is all of it where the queue is embedded.",
			m.Medians(cells),
		},
	}.Rows(rows, panels...)
}

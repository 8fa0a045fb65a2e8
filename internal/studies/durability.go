package studies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
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
	Count:    [3]int{5, 4, 10},
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
	With: each(func(size Size, name string) []bench.Scenario {
		return durableCells(size, strategy(name)[0])
	}),
	Takes: func(v strategies.Variant) error {
		if !takesAll(v.Spec) {
			return fmt.Errorf("%s refuses what finds no slot and has no queue: it would not do "+
				"all tasks", v)
		}
		return nil
	},
	Decides: []string{metric.Throughput},
	Advice: evidence.Sentences{
		Holds: "keep tasks in the process at such rates, or hand over many in one message",
		DoesNotHold: "take a durable queue where tasks must survive: at such rates it is not the " +
			"queue that is slow",
		Depends: "choose by what must survive: what costs is waiting for the disk or the server",
	},
	Judge: judgeDurability,
	Draw:  []drawing{drawDurability},
})

// durableRate is the one that the claim is about, in tasks a second.
const durableRate = 1000

// durableRates are those of the Poisson arrivals, in tasks a second, by the size of the study. The
// claim is judged by the clients; a quick look has no rate that a usual disk cannot keep up with,
// as its runs would be INVALID.
var durableRates = [3][]float64{{100}, {10, 100, durableRate, 5000},
	{10, 100, durableRate, 5000}}

// durableSpans are how long the clients run, and the arrivals of each rate.
var durableSpans = [3]struct {
	clients time.Duration
	at      map[float64]time.Duration
}{
	{400 * time.Millisecond, map[float64]time.Duration{100: 600 * time.Millisecond}},
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
	for _, k := range engine.BrokerKeys() {
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

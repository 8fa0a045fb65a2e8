package studies

import (
	"cmp"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// Eight clients that wait for their tasks measure the throughput. Poisson arrivals measure the
// response and, at the lowest rate, the time until an idle consumer has the task. A file that is
// synced once per task measures the disk alone.
//
// The cases are the strategies whose tasks survive the process. A strategy is fast enough if the
// interval of its throughput is at or above durableRate. It is too slow if the interval is below
// durableRate in the undisturbed repetitions (see crowded), because other programs can only slow a
// queue down.
var _ = register(Study{
	Name:     "durability",
	Question: "how much does durability cost per task, and is a durable queue fast enough?",
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
			return fmt.Errorf("%s has no queue and refuses tasks if all slots are busy, so it "+
				"would not do all tasks", v)
		}
		return nil
	},
	Decides: []string{metric.Throughput},
	Advice: evidence.Sentences{
		Holds:       "keep tasks in the process at such rates, or send many tasks in one message",
		DoesNotHold: "use a durable queue if tasks must survive: it is fast enough for such rates",
		Depends: "choose by the failures that tasks must survive: the cost is the wait for " +
			"the disk or the server",
	},
	Judge: judgeDurability,
	Draw:  []drawing{drawDurability},
})

const durableRate = 1000

// The quick size omits rates that a usual disk cannot sustain, because these runs would be INVALID.
var durableRates = [3][]float64{{100}, {10, 100, durableRate, 5000},
	{10, 100, durableRate, 5000}}

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

var embedded = []string{pooled, "dispatcher", "jetstream:store=memory", "jetstream",
	"sqlite_queue:sync=normal", "jetstream:sync=always", "sqlite_queue"}

// With asynq's default poll of 1 s, the clients would measure its pauses.
var nonDefault = map[string]string{"asynq": "asynq:poll=100ms"}

// durableVariants includes each value of the strategies' own choices. The choice "recovery" has no
// effect unless the process is killed.
func durableVariants() []strategies.Variant {
	all := strategy(embedded...)
	common := map[string]bool{"recovery": true}
	for _, k := range engine.BrokerKeys() {
		common[k.Name] = true
	}
	for _, spec := range strategies.All() {
		if spec.Needs == "" {
			continue
		}
		all = append(all, strategy(cmp.Or(nonDefault[spec.Name], spec.Name))...)
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
	cells := []bench.Scenario{durableCell(v, loadOf("closed:clients=8,think=const(0s)", 0),
		bench.Stop{Duration: durableSpans[size].clients, Warmup: 0.1})}
	for _, rate := range durableRates[size] {
		cells = append(cells, durableAt(size, v, rate))
	}
	return cells
}

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

func diskCell(size Size) bench.Scenario {
	sc := scenario(pooled, "file_sync", loadOf("closed:clients=1,think=const(0s)", 0),
		bench.Stop{Duration: durableSpans[size].clients})
	sc.Clock = bench.Real
	return sc
}

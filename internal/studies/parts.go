package studies

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

const limit = 4

const (
	pooled     = "worker_pool"
	shedding   = "bounded_queue_shed"
	holding    = "bounded_queue"
	sequential = "partitioned"
	separate   = "segregated"
	inline     = "event_loop"
	free       = "unbounded"
)

// familiar lists common first choices. In the strategies of waiting, a task waits for a slot.
var (
	familiar = []string{free, pooled, "semaphore", "errgroup_limit", shedding}
	waiting  = familiar[1:4]
)

const (
	unit = time.Millisecond
	// room is longer than any queue, so that strategies choose among all waiting tasks.
	room = 1_000_000
	// A run counts as disturbed by other programs if its ready threads had no processor for more
	// than this share of the time.
	crowded = 0.2
)

const (
	meanResponse = metric.MeanResponse
	p99Response  = metric.P99Response
)

var perSecond = charts.Axis{Label: "tasks completed a second", Reach: []float64{0}}

func responses(of string) charts.Axis { return evidence.Log(of, charts.Seconds) }

func shares(of string, reach ...float64) charts.Axis {
	return charts.Axis{Label: of, Format: text.ShortShare, Reach: reach}
}

func scenario(name, work string, load bench.Load, stop bench.Stop) bench.Scenario {
	return bench.Scenario{Strategy: strategy(name)[0], Limit: limit, Workload: workload(work)[0],
		Load: load, Stop: stop, Clock: bench.Virtual}
}

func poisson(relative float64) bench.Load { return loadOf("poisson", relative) }
func loadOf(process string, relative float64) bench.Load {
	return bench.Load{Arrival: arrival(process)[0], Relative: relative}
}

func each(of func(Size, string) []bench.Scenario) func(Size, ...string) []bench.Scenario {
	return func(size Size, names ...string) (cells []bench.Scenario) {
		for _, name := range names {
			cells = append(cells, of(size, name)...)
		}
		return cells
	}
}

// Strategies that shed have no queue. They are then loss systems, for which theory is exact for any
// distribution of the task times.
func lossy(m bench.Matrix) []bench.Scenario {
	scenarios := m.Product()
	for i := range scenarios {
		if sc := &scenarios[i]; sc.Strategy.Spec.Sheds && sc.Strategy.Spec.UsesQueue {
			sc.Queue = bench.NoQueue
		}
	}
	return scenarios
}

func queueLength(n int) int { return cmp.Or(n, bench.NoQueue) }

func atSize(size Size, all, few []float64) []float64 {
	if size == Quick {
		return few
	}
	return all
}

func acceptedStrategies(
	takes func(strategies.Spec) bool, values map[string]string,
) (all []strategies.Variant) {
	for _, spec := range strategies.All() {
		if spec.RealClock || !takes(spec) {
			continue
		}
		var args []string
		for _, k := range spec.Keys {
			if value, ok := values[k.Name]; ok {
				args = append(args, k.Name+"="+value)
			}
		}
		text := strings.TrimSuffix(spec.Name+":"+strings.Join(args, ","), ":")
		all = append(all, strategy(text)...)
	}
	return all
}

func isPeer(spec strategies.Spec) bool { return peers.Has(spec.Name) }

func takesAll(spec strategies.Spec) bool { return !spec.Sheds || spec.UsesQueue }

func names(of []strategies.Variant) (all []string) {
	for _, v := range of {
		all = append(all, v.String())
	}
	return all
}

// A parser parses each text once, because the figures of a report use the same few variants
// thousands of times. It panics on an invalid text.
type parser[T any] struct {
	must  func(text string) T
	known sync.Map // T by text
}

func (p *parser[T]) parseAll(texts []string) []T {
	variants := make([]T, len(texts))
	for i, text := range texts {
		v, ok := p.known.Load(text)
		if !ok {
			v, _ = p.known.LoadOrStore(text, p.must(text))
		}
		variants[i] = v.(T)
	}
	return variants
}

var (
	strategyParser = parser[strategies.Variant]{must: strategies.MustParse}
	workloadParser = parser[workloads.Variant]{must: workloads.MustParse}
	targetParser   = parser[targets.Variant]{must: targets.MustParse}
	arrivalParser  = parser[arrivals.Variant]{must: arrivals.MustParse}
)

func strategy(texts ...string) []strategies.Variant { return strategyParser.parseAll(texts) }
func workload(texts ...string) []workloads.Variant  { return workloadParser.parseAll(texts) }
func target(texts ...string) []targets.Variant      { return targetParser.parseAll(texts) }
func arrival(texts ...string) []arrivals.Variant    { return arrivalParser.parseAll(texts) }

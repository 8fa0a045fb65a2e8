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

// limit is the one that the studies are run at unless they are about it.
const limit = 4

// Strategies that several studies name.
const (
	pooled     = "worker_pool"
	shedding   = "bounded_queue_shed"
	holding    = "bounded_queue"
	sequential = "partitioned"
	separate   = "segregated"
	inline     = "event_loop"
	free       = "unbounded"
)

// familiar are the strategies that a newcomer has to choose from first: nothing, three ways to
// wait, and shedding. waiting are those of them that make a task wait for a slot.
var (
	familiar = []string{free, pooled, "semaphore", "errgroup_limit", shedding}
	waiting  = familiar[1:4]
)

const (
	// unit is the length of a short task, and the quantum of the partitioned strategies.
	unit = time.Millisecond
	// room is more than ever waits: a strategy with a queue is to choose among all tasks that are
	// there.
	room = 1_000_000
	// crowded is the share of the time in which threads that were ready had no processor, from
	// which on other programs have had the machine.
	crowded = 0.2
)

const (
	meanResponse = metric.MeanResponse
	p99Response  = metric.P99Response
)

// perSecond is an axis of throughput.
var perSecond = charts.Axis{Label: "tasks completed a second", Reach: []float64{0}}

// responses is an axis of response times, of those tasks.
func responses(of string) charts.Axis { return evidence.Log(of, charts.Seconds) }

// shares is an axis of shares that reaches those values.
func shares(of string, reach ...float64) charts.Axis {
	return charts.Axis{Label: of, Format: text.ShortShare, Reach: reach}
}

// scenario is a strategy at the limit of the studies, under the virtual clock.
func scenario(name, work string, load bench.Load, stop bench.Stop) bench.Scenario {
	return bench.Scenario{Strategy: strategy(name)[0], Limit: limit, Workload: workload(work)[0],
		Load: load, Stop: stop, Clock: bench.Virtual}
}

// poisson is a load relative to the capacity, of Poisson arrivals; by is that of any arrivals, or
// of those that bring their own.
func poisson(relative float64) bench.Load { return by("poisson", relative) }
func by(process string, relative float64) bench.Load {
	return bench.Load{Arrival: arrival(process)[0], Relative: relative}
}

// each gives the scenarios of several strategies, of a function that has those of one.
func each(of func(Size, string) []bench.Scenario) func(Size, ...string) []bench.Scenario {
	return func(size Size, names ...string) (cells []bench.Scenario) {
		for _, name := range names {
			cells = append(cells, of(size, name)...)
		}
		return cells
	}
}

// lossy are the scenarios of a matrix in which a strategy that sheds has no queue: then it is a
// loss system, which theory knows for any task times.
func lossy(m bench.Matrix) []bench.Scenario {
	scenarios := m.Product()
	for i := range scenarios {
		if sc := &scenarios[i]; sc.Strategy.Spec.Sheds && sc.Strategy.Spec.UsesQueue {
			sc.Queue = bench.NoQueue
		}
	}
	return scenarios
}

// slotted is a queue of so many slots, also of none.
func slotted(n int) int { return cmp.Or(n, bench.NoQueue) }

// atSize is all values, or in the quick size these few of them.
func atSize(size Size, all, few []float64) []float64 {
	if size == Quick {
		return few
	}
	return all
}

// every is all strategies that are taken, with these values of the parameters that they have. Those
// that wait for disks and servers are the business of a study of their own.
func every(takes func(strategies.Spec) bool, values map[string]string) (all []strategies.Variant) {
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

// isPeer reports whether a strategy is a library's.
func isPeer(spec strategies.Spec) bool { return peers.Has(spec.Name) }

// takesAll reports whether a strategy does more tasks than its limit at once, in the end.
func takesAll(spec strategies.Spec) bool { return !spec.Sheds || spec.UsesQueue }

// names are those of variants.
func names(of []strategies.Variant) (all []string) {
	for _, v := range of {
		all = append(all, v.String())
	}
	return all
}

// A parser reads what the command line would say, each text once: the figures of a report name the
// same few variants thousands of times. A mistake in a text is one in this package.
type parser[T any] struct {
	must  func(text string) T
	known sync.Map // T by its text
}

func (p *parser[T]) all(texts []string) []T {
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

// strategy parses strategies, those of other people's libraries among them.
func strategy(texts ...string) []strategies.Variant { return strategyParser.all(texts) }
func workload(texts ...string) []workloads.Variant  { return workloadParser.all(texts) }
func target(texts ...string) []targets.Variant      { return targetParser.all(texts) }
func arrival(texts ...string) []arrivals.Variant    { return arrivalParser.all(texts) }

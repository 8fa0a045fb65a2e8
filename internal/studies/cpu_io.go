package studies

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
)

// The claim is from the Node.js guide on not blocking the event loop, which advises a separate
// computation pool, as large as the number of cores. The study has three parts:
//
//   - Computations among calls, under the virtual clock. It gives each slot a core, which favours
//     one pool if it computes more tasks than there are cores.
//   - The same under the real clock. The computation pool has as many slots as a machine of two
//     cores, or one fewer to leave a core for tasks that wake up.
//   - Tasks that compute and then wait, and so fit neither pool.
//
// The latency of the waiting tasks must be more than a tenth higher with one pool than with two. It
// is the p99, or under the real clock the mean, because runs are short. Two pools must have at
// least nine tenths of one pool's throughput of real tasks. Each condition at each limit is a case.
var _ = register(Study{
	Name:     "cpu_io",
	Question: "when are separate pools for computing and for waiting tasks better than one pool?",
	Claim:    "computing and waiting tasks need separate pools",
	Count:    [3]int{2, 3, 10},
	Budget:   4500 * time.Millisecond,
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, k := range coreLimits {
			cells = append(cells, twoKindsCell(size, pooled, k))
			if k > corePool {
				cells = append(cells, twoKindsCell(size, coreSplit, k))
			}
		}
		for _, name := range append([]string{pooled}, realSplits...) {
			for _, k := range kindLimits {
				cells = append(cells, realKindsCell(size, name, k))
			}
		}
		for _, name := range []string{pooled, realSplits[0]} {
			for _, k := range wholeLimits {
				cells = append(cells, mixedTaskCell(size, name, k))
			}
		}
		return cells
	},
	Decides: []string{callTail, waitMean, metric.Throughput},
	Advice: evidence.Sentences{
		Holds:       "use separate pools for tasks that compute and tasks that wait",
		DoesNotHold: "keep one pool for tasks that compute and tasks that wait",
		Depends: "keep one pool, unless a test at your own limit shows that two pools are " +
			"better",
	},
	Judge: judgeCores,
	Draw:  []drawing{drawCores},
})

const (
	corePool   = 2 // slots for computations: the cores of a small machine
	coreBusy   = 0.6
	callSlots  = 1.2 // mean number of slots used by the waiting tasks
	computing  = 200 * time.Millisecond
	calling    = 10 * time.Millisecond
	coreMargin = 1.1 // ratio of two p99s that counts as worse
	coreKept   = 0.9 // share of one pool's throughput that counts as equal
)

var (
	coreSplit  = fmt.Sprintf("segregated:long=%d", corePool)
	coreLimits = []int{2, 3, 4, 6, 8, 16}
	realSlots  = []int{corePool, corePool - 1}
	realSplits = []string{fmt.Sprintf("cpu_io_split:cpu=%d", realSlots[0]),
		fmt.Sprintf("cpu_io_split:cpu=%d", realSlots[1])}
	kindLimits  = []int{4, 16}
	wholeLimits = []int{8, 32}
)

func twoKindsCell(size Size, name string, k int) bench.Scenario {
	compute, call := coreBusy*corePool/computing.Seconds(), callSlots/calling.Seconds()
	sc := scenario(name, fmt.Sprintf("bimodal:p=%.4g,short=%v,long=%v", compute/(compute+call),
		calling, computing), poisson(0),
		bench.Stop{Tasks: [...]int{20_000, 60_000, 400_000}[size], Warmup: 0.1})
	sc.Limit, sc.Load.PerSecond = k, compute+call
	// With a shorter queue, a full class pool would block the other class in Submit.
	sc.Queue = 100_000
	return sc
}

// The number of tasks is fixed, because in a fixed time two pools would do more of the faster kind.
func realKindsCell(size Size, name string, k int) bench.Scenario {
	return realCell(name, k, "cpu_io:p=0.5,cpu=1ms,wait=const(2ms)",
		bench.Stop{Tasks: [...]int{130, 1000, 5000}[size]})
}

func mixedTaskCell(size Size, name string, k int) bench.Scenario {
	return realCell(name, k, "mixed:cpu=1ms,wait=const(9ms)", bench.Stop{
		Duration: [...]time.Duration{70 * time.Millisecond, time.Second, 5 * time.Second}[size]})
}

func realCell(name string, k int, work string, stop bench.Stop) bench.Scenario {
	sc := scenario(name, work, loadOf("closed:clients=64,think=const(0s)", 0), stop)
	sc.Limit, sc.Clock = k, bench.Real
	return sc
}

const (
	callTail    = metric.ShortP99Response
	computeTail = metric.LongP99Response
	waitMean    = metric.IOMeanResponse
	computeMean = metric.CPUMeanResponse
)

type coreCase struct {
	noun, clock string
	limits      []int
	least       float64 // smallest ratio that counts as better
	cells       func(Size, string, int) bench.Scenario
	split       string // strategy
	unit        string
	oneByTwo    bool // the ratio is one pool ÷ two, or else two ÷ one
}

func (c coreCase) ratio(m *evidence.Measured, k int) evidence.Interval {
	one, two := c.cells(Quick, pooled, k), c.cells(Quick, c.split, k)
	if c.oneByTwo {
		return m.Ratio(one, two, c.unit)
	}
	return m.Ratio(two, one, c.unit)
}

func coreCases() []coreCase {
	cases := []coreCase{{"p99 of waiting tasks", "virtual", coreLimits[1:], coreMargin,
		twoKindsCell, coreSplit, callTail, true}}
	for i, split := range realSplits {
		clock := fmt.Sprintf("real, %d to compute", realSlots[i])
		cases = append(cases,
			coreCase{"mean of waiting tasks", clock, kindLimits, coreMargin, realKindsCell, split,
				waitMean, true},
			coreCase{"throughput", clock, kindLimits, coreKept, realKindsCell, split,
				metric.Throughput, false})
	}
	return append(cases, coreCase{"mixed tasks' throughput", "real, 2 to compute", wholeLimits,
		coreKept, mixedTaskCell, realSplits[0], metric.Throughput, false})
}

func judgeCores(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "limit", More: []string{"claim", "clock"},
		Number: "ratio", Format: evidence.Interval.Factor}
	for _, c := range coreCases() {
		for _, k := range c.limits {
			divided := "two ÷ one"
			if c.oneByTwo {
				divided = "one ÷ two"
			}
			r.AtLeast(fmt.Sprintf("limit %d, %s", k, c.noun), c.ratio(m, k), c.least,
				divided+" ≥ "+text.Short(c.least), c.clock)
		}
	}
	all := len(r.Cases)
	f := r.Find(evidence.Sentences{
		Holds:       fmt.Sprintf("two pools are better in all %d comparisons", all),
		DoesNotHold: fmt.Sprintf("two pools are better in none of %d comparisons", all),
		Depends: fmt.Sprintf("on the limit and on the tasks, in %d and not in %d of %d comparisons",
			len(r.Meeting()), len(r.Not()), all),
	}, fmt.Sprintf("%d of %d comparisons of one pool with two", len(r.Open()), all))
	var said []string
	for _, k := range coreLimits[1:] {
		said = append(said, fmt.Sprintf("%s of the time at limit %d",
			text.ShortShare(allComputing(k)), k))
	}
	f.Add("the virtual clock gives each slot a core. On %d real cores computing tasks alone would "+
		"hold all slots of one pool %s (theory: processor sharing)", corePool,
		strings.Join(said, ", "))
	return f
}

// allComputing returns the share of the time during which k or more computations share the cores:
// P(N ≥ k) = P(wait)·ρ^(k−c), exact for M/M/c.
func allComputing(k int) float64 {
	a := theory.Must(theory.MMk(theory.Pool{Rate: coreBusy * corePool / computing.Seconds(),
		MeanService: computing.Seconds(), Limit: corePool}))
	return a.WaitProb * math.Pow(coreBusy, float64(k-corePool))
}

func drawCores(m *evidence.Measured) evidence.Figure {
	return evidence.Figure{
		Name:  "cpu_io",
		Title: "Computing and waiting: one pool or two",
		Caption: []string{
			fmt.Sprintf("Virtual clock: computations of %s keep %d cores %s busy, calls of %s "+
				"keep %v slots busy. Separate pools are %d slots for the computing tasks and "+
				"the rest for the others. Each slot of the one pool gets a core, which favours it.",
				text.Duration(computing), corePool, text.ShortShare(coreBusy),
				text.Duration(calling), callSlots, corePool),
			"Real clock: every second task computes for 1 ms, the others wait for 2 ms. Mixed " +
				"tasks compute for 1 ms and then wait for 9 ms, all of it in the separate pool " +
				"for computations.",
			fmt.Sprintf("The separate pools have %d or %d slots to compute. If all cores "+
				"compute, a task that wakes up waits for a core, in any pool.",
				realSlots[0], realSlots[1]),
		},
	}.Finding(judgeCores(m))
}

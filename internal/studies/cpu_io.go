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
	"github.com/poolbench/poolbench/reports/page/shell"
)

// cpu_io mixes tasks that compute with tasks that wait. The Node.js guide on not blocking the event
// loop advises a separate computation pool, as large as the number of cores. The study has three
// parts:
//
//   - Slots, under the virtual clock: labelled computations of 200 ms among calls of 10 ms. This
//     clock gives each slot a core, which favours one pool if it computes more tasks than there are
//     cores.
//   - Cores, under the real clock: a fixed number of tasks from more clients than slots. Half of
//     the tasks compute for 1 ms and half wait for 2 ms. The computation pool has as many slots as
//     a machine of two cores, or one fewer to leave a core for tasks that wake up.
//   - Tasks that compute and then wait, and so fit neither pool, in the computation pool.
//
// The cases are the limits and both sizes of the computation pool. A case meets the claim under two
// conditions. The p99 of the waiting tasks is more than a tenth higher with one pool than with two
// (under the real clock the mean response, because runs are short). And two pools have at least
// nine tenths of one pool's throughput of real tasks.
var _ = register(Study{
	Name: "cpu_io",
	Question: "what do separate pools for computing and for waiting win and lose, and at which " +
		"limit?",
	Claim:  "computing and waiting tasks need pools of their own",
	Count:  [3]int{2, 3, 10},
	Budget: 4500 * time.Millisecond,
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
	Decides: []string{callTail, computeTail, waitMean, computeMean, metric.Throughput},
	Advice: evidence.Sentences{
		Holds:       "give tasks that compute and tasks that wait pools of their own",
		DoesNotHold: "keep one pool for tasks that compute and tasks that wait",
		Depends:     "keep one pool, unless a trial at your own limit shows that two are better",
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
	// room for all tasks, or a full class pool would block the other class in Submit
	sc.Queue = 100_000
	return sc
}

// realKindsCell returns equally many tasks of two kinds, from more clients than slots. The
// number of tasks is fixed, because in a fixed time two pools would do more of the faster kind.
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
	limits    []int
	least     float64 // smallest ratio that counts as better; 0: only reported
	noun, way string  // the metric, and the pools of the ratio
	cells     func(Size, string, int) bench.Scenario
	of, to    string // numerator and denominator: strategies
	unit      string
	missing   string // message if there are no runs
}

func (c coreCase) ratio(m *evidence.Measured, k int) evidence.Interval {
	return m.Ratio(c.cells(Quick, c.of, k), c.cells(Quick, c.to, k), c.unit)
}

func coreCases() []coreCase {
	cases := []coreCase{{coreLimits[1:], coreMargin, "the waiting tasks' p99",
		" in one pool ÷ in two", twoKindsCell, pooled, coreSplit, callTail,
		"one pool or two were not measured"}}
	for i, split := range realSplits {
		on := fmt.Sprintf(" on real cores with %s to compute",
			evidence.Counted(float64(realSlots[i]), "slot"))
		missing := "real tasks of either kind were not measured by " + split
		cases = append(cases,
			coreCase{kindLimits, coreMargin, "the waiting tasks' mean response" + on,
				", in one pool ÷ in two", realKindsCell, pooled, split, waitMean, missing},
			coreCase{kindLimits, 0, "the computing tasks' mean response" + on,
				", in one pool ÷ in two", realKindsCell, pooled, split, computeMean, missing},
			coreCase{kindLimits, coreKept, "throughput" + on, ", of two pools ÷ of one",
				realKindsCell,
				split, pooled, metric.Throughput, missing})
	}
	return append(cases, coreCase{wholeLimits, coreKept,
		"throughput of tasks that compute and then wait", ", of two pools ÷ of one", mixedTaskCell,
		realSplits[0], pooled, metric.Throughput, "tasks that compute and then wait were not measured"})
}

func judgeCores(m *evidence.Measured) decide.Finding {
	var r evidence.Ruling
	var lines, better, not []string
	for _, c := range coreCases() {
		var at evidence.Ruling
		var values, marks []string
		for _, k := range c.limits {
			ratio := c.ratio(m, k)
			if math.IsNaN(ratio.Mid) {
				return evidence.Missing("%s at every limit", c.missing)
			}
			if c.least > 0 {
				at.AtLeast(ratio, c.least, "%s at limit %d", c.noun, k)
			}
			values, marks = append(values, ratio.String()), append(marks, fmt.Sprint(k))
		}
		yes, no := at.Pick(marks)
		if len(yes) > 0 {
			better = append(better, c.noun+" at limit "+evidence.Series(yes))
		}
		if len(no) > 0 {
			not = append(not, c.noun+" at limit "+evidence.Series(no))
		}
		r.Cases = append(r.Cases, at.Cases...)
		lines = append(lines, c.noun+c.way+": "+evidence.Grouped("at limit", values, marks))
	}
	all := len(r.Cases)
	f := r.Find(evidence.Sentences{
		Holds:       fmt.Sprintf("two pools are better in all %d comparisons", all),
		DoesNotHold: fmt.Sprintf("two pools are better in none of %d comparisons", all),
		Depends: fmt.Sprintf("on the limit and on the tasks: two pools are better in %d of %d "+
			"comparisons (%s), and not in %d (%s)",
			len(r.So()), all, evidence.Series(evidence.Few(better, 2)), len(r.Not()),
			evidence.Series(evidence.Few(not, 2))),
	}, "")
	if open := r.Open(); f.Verdict == decide.ClaimUndecided {
		f = evidence.Missing("the repetitions vary too much to decide in %d of %d comparisons of "+
			"one pool with two: %s; two pools are better in %d, and not in %d", len(open), all,
			evidence.Series(evidence.Few(open, 3)), len(r.So()), len(r.Not()))
	}
	f.Add("two pools count as better where one pool has at least %v times their response, or "+
		"they have at least %v times its throughput", coreMargin, coreKept)
	f.Say(lines...)
	answerCores(m, &f)
	return f
}

func answerCores(m *evidence.Measured, f *decide.Finding) {
	if v := m.Median(twoKindsCell(Quick, pooled, corePool), callTail).Mid; !math.IsNaN(v) {
		asked := (coreBusy*corePool + callSlots) / corePool
		f.Add("one pool of %d slots, one for each core, is offered %s of its capacity, for a "+
			"waiting task holds a slot and no core: the waiting tasks' p99 of %s only says how "+
			"long the run was", corePool, text.ShortShare(asked), text.ShortSeconds(v))
	}
	most := coreLimits[len(coreLimits)-1]
	if in := m.Median(twoKindsCell(Quick, coreSplit, most), computeTail); !math.IsNaN(in.Mid) {
		exact := poolTail(coreBusy*corePool/computing.Seconds(), computing, corePool)
		f.Add("in a pool of their own the computing tasks have a p99 of %s (theory: %s); the "+
			"virtual clock gives each slot a core, and cannot show their p99 in one pool",
			text.ShortSeconds(in.Mid), text.ShortSeconds(exact))
	}
	var said []string
	for _, k := range coreLimits[1:] {
		said = append(said, fmt.Sprintf("%s of the time at limit %d",
			text.ShortShare(allComputing(k)), k))
	}
	f.Add("on %d real cores computing tasks alone would hold all slots of one pool %s (theory: "+
		"processor sharing)", corePool, strings.Join(said, ", "))
	for i, k := range wholeLimits[:len(wholeLimits)-1] {
		next := wholeLimits[i+1]
		one, more := mixedTaskCell(Quick, pooled, k), mixedTaskCell(Quick, pooled, next)
		times := func(unit string) float64 { return m.Mean(more, unit).Mid / m.Mean(one, unit).Mid }
		rate, service := times(metric.Throughput), times(metric.MeanService)
		if !math.IsNaN(rate + service) {
			f.Add("one pool of %d slots instead of %d completes %s times as many tasks that "+
				"compute and then wait, and each takes %s times as long",
				next, k, text.Short(rate), text.Short(service))
		}
	}
}

// allComputing returns the share of the time during which k or more computations share the cores.
// It is exact for M/M/c, independent of the mean: P(N ≥ k) = P(wait)·ρ^(k−c).
func allComputing(k int) float64 {
	a := theory.Must(theory.MMk(theory.Pool{Rate: coreBusy * corePool / computing.Seconds(),
		MeanService: computing.Seconds(), Limit: corePool}))
	return a.WaitProb * math.Pow(coreBusy, float64(k-corePool))
}

// poolTail returns the exact p99 response of a class pool with tasks of equal length, or NaN if it
// is overloaded.
func poolTail(rate float64, service time.Duration, slots int) float64 {
	if rate*service.Seconds() >= float64(slots) {
		return math.NaN()
	}
	return theory.Must(theory.MDk(theory.Pool{Rate: rate, MeanService: service.Seconds(),
		Limit: slots})).P99()
}

type coreRows struct {
	title, unit string
	number      func(float64) string
	limits      []int
	names       []string
	at          func(Size, string, int) bench.Scenario
	more        bool // larger values are better
}

func (c coreRows) part(m *evidence.Measured) shell.TablePart {
	p := shell.TablePart{Title: c.title}
	for _, k := range c.limits {
		row := shell.TableRow{Name: fmt.Sprintf("limit %d", k)}
		worse := 0
		for _, name := range c.names {
			cell := m.Median(c.at(Quick, name, k), c.unit).Cell(c.number)
			ratio := m.Ratio(c.at(Quick, name, k), c.at(Quick, c.names[0], k), c.unit)
			better, less := ratio.Below(), ratio.Above()
			if c.more {
				better, less = less, better
			}
			if cell.Best = better; less {
				worse++
			}
			row.Cells = append(row.Cells, cell)
		}
		row.Cells[0].Best = worse == len(c.names)-1
		for len(row.Cells) < 1+len(realSplits) {
			row.Cells = append(row.Cells, shell.Absent)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

func drawCores(m *evidence.Measured) evidence.Figure {
	one := []string{pooled}
	calls := coreRows{"virtual clock: p99 of the waiting tasks together with computing ones", callTail,
		text.ShortSeconds, coreLimits, append(one, coreSplit), twoKindsCell, false}.part(m)
	for i, k := range coreLimits {
		exact := poolTail(callSlots/calling.Seconds(), calling, k-corePool)
		if cell := &calls.Rows[i].Cells[1]; *cell != shell.Absent && !math.IsNaN(exact) {
			cell.Below = "theory: " + text.ShortSeconds(exact)
		}
	}
	return evidence.Figure{
		Name:  "cpu_io",
		Title: "Computing and waiting: one pool or two",
		Caption: []string{
			fmt.Sprintf("Virtual clock: computations of %s keep %d cores %s busy, calls of %s "+
				"keep %v slots busy. Separate pools are %d slots for the computing tasks and "+
				"the rest for the others; theory is M/D/k. Each slot of the one pool gets a "+
				"core, which favours it.", text.Duration(computing), corePool,
				text.ShortShare(coreBusy), text.Duration(calling), callSlots, corePool),
			"Real clock: every second task computes for 1 ms, the others wait for 2 ms. Tasks " +
				"that do both compute for 1 ms and then wait for 9 ms, all of it in the " +
				"separate pool for computations.",
			fmt.Sprintf("The separate pools have %d slots to compute, or %d: where all cores "+
				"compute, a task that wakes up waits for one, in whatever pool.",
				realSlots[0], realSlots[1]),
			"In bold: significantly better than the other way to divide the slots.",
			m.MedianCells([]bench.Scenario{twoKindsCell(Quick, pooled, coreLimits[1])}),
		},
	}.Table(shell.Table{Of: "slots in all", Heads: []string{"one pool", "separate pools",
		"separate pools, a core left"}, Parts: []shell.TablePart{
		calls,
		coreRows{"real cores: mean response of the waiting tasks", waitMean, text.ShortSeconds,
			kindLimits, append(one, realSplits...), realKindsCell, false}.part(m),
		coreRows{"real cores: tasks completed a second, of either kind", metric.Throughput, text.Short,
			kindLimits, append(one, realSplits...), realKindsCell, true}.part(m),
		coreRows{"real cores: tasks completed a second that compute and then wait", metric.Throughput,
			text.Short, wholeLimits, append(one, realSplits[0]), mixedTaskCell, true}.part(m)}})
}

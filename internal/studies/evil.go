package studies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// evil mixes tasks that never end with good ones, like an attacker who knows a request that a
// server never completes (the Node.js guide on not blocking the event loop).
//
// A pool counts as stopped if a good task, of 10 ms on average, takes a minute or more. The claim
// holds if every pool of k slots is stopped in every run with k or more endless tasks, for every
// timeout. It does not hold if no pool is stopped in any of these runs. With a timeout, only runs
// count in which all tasks together do not overload the pool.
var _ = register(Study{
	Name:     "evil",
	Question: "how many endless tasks stop a pool, and what helps?",
	Claim:    "k endless tasks stop a pool of k workers for everybody",
	Count:    [3]int{2, 8, 20},
	Budget:   2500 * time.Millisecond,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, name := range append(slices.Clone(evilPools), free, shedding) {
			cells = append(cells, evilUnknown(name)...)
		}
		for _, timeout := range evilTimeouts {
			cells = append(cells, evilCutOff(timeout)...)
		}
		for _, name := range evilKeepers {
			cells = append(cells, evilKnown(name)...)
		}
		return cells
	},
	With:    each(func(_ Size, name string) []bench.Scenario { return evilUnknown(name) }),
	Decides: []string{p99Response},
	Advice: evidence.Sentences{
		Holds:       "keep endless tasks out of the pool: no timeout tried here helps",
		DoesNotHold: "with the timeouts tried here, a pool tolerates endless tasks",
		Depends: "give each task a timeout that is much shorter than the longest acceptable " +
			"stop of the pool",
	},
	Judge: judgeEvil,
	Draw:  []drawing{drawEvil},
})

const (
	evilTasks = 3000
	evilLoad  = 0.4 // load of the good tasks alone
	evilGood  = 10 * time.Millisecond
	// effectively no timeout: the good tasks of a run are due within 20 s
	evilNever = time.Hour
	evilLong  = 100 * time.Second // length of tasks that are practically endless
	// response in seconds
	evilMinute = 60.0
)

var (
	evilPools    = []string{"worker_pool", "segregated", "partitioned", "cpu_io_split:cpu=2"}
	evilKeepers  = []string{"worker_pool", "segregated:long=1", "partitioned:quantum=10ms"}
	evilShares   = []float64{0, 0.0006, 0.0009, 0.0012, 0.0016, 0.002, 0.003}
	evilTimeouts = []time.Duration{time.Second, 100 * time.Millisecond}
	// load of all tasks together, including endless ones until their timeout
	evilBusy = []float64{0.5, 0.7, 0.9, 1.1, 1.3}
)

// evilSettled is the number of values of evilBusy below 1.
const evilSettled = 3

func evilCell(name, work string) bench.Scenario {
	sc := scenario(name, work, poisson(evilLoad), bench.Stop{Tasks: evilTasks})
	sc.Deadline = 10 * evilGood
	return sc
}

func evilUnknown(name string) (cells []bench.Scenario) {
	for _, p := range evilShares {
		sc := evilCell(name, fmt.Sprintf("evil:p=%v", p))
		sc.Timeout = evilNever
		cells = append(cells, sc)
	}
	return cells
}

// With arrival rate λ and a share p of endless tasks: k·busy = λ·(p·timeout + (1−p)·E[S]).
func evilTimed(timeout time.Duration, busy float64) bench.Scenario {
	rate := evilLoad * limit / evilGood.Seconds()
	p := limit * (busy - evilLoad) / (rate * (timeout - evilGood).Seconds())
	sc := evilCell("worker_pool", "evil:p="+strconv.FormatFloat(p, 'g', 4, 64))
	sc.Timeout = timeout
	return sc
}

func evilCutOff(timeout time.Duration) (cells []bench.Scenario) {
	for _, busy := range evilBusy {
		cells = append(cells, evilTimed(timeout, busy))
	}
	return cells
}

func evilKnown(name string) (cells []bench.Scenario) {
	for _, p := range []float64{0.0003, 0.0009, 0.002, 0.003} {
		sc := evilCell(name, fmt.Sprintf("bimodal:p=%v,short=%v,long=%v", p, evilGood, evilLong))
		sc.Load.Relative, sc.Load.PerSecond = 0, evilLoad*limit/evilGood.Seconds()
		sc.Queue = evilTasks
		cells = append(cells, sc)
	}
	return cells
}

type evilRun struct {
	endless                           int
	p99, longest, inTime, inFlightMax float64
}

// The number of endless tasks comes from a run of the same work in which all of them failed by the
// timeout.
func evilRuns(m *evidence.Measured, cells, countedBy []bench.Scenario) (runs []evilRun) {
	for i, sc := range cells {
		m.Pairs(sc, countedBy[i], func(of, counted evidence.Run) float64 {
			failed := counted(metric.Failed)
			r := evilRun{
				endless: int(math.Round(failed * evilTasks)), p99: of(p99Response),
				longest: of(metric.MaxResponse), inFlightMax: of(metric.PeakInFlight),
			}
			r.inTime = of(metric.Goodput) / of(metric.Throughput) *
				(1 - of(metric.Failed) - of(metric.Shed)) / (1 - failed)
			if !math.IsNaN(failed + r.longest) {
				runs = append(runs, r)
			}
			return 0
		})
	}
	return runs
}

// The number j of long tasks follows from the total work: n·E[S] = short·(n−j) + long·j.
func evilKnownRuns(m *evidence.Measured, name string) (runs []evilRun) {
	for _, sc := range evilKnown(name) {
		m.Numbers(sc, func(r evidence.Run) float64 {
			short := evilGood.Seconds()
			j := evilTasks * (r(metric.MeanService) - short) / (evilLong.Seconds() - short)
			if p99 := r(metric.ShortP99Response); !math.IsNaN(j + p99) {
				runs = append(runs, evilRun{endless: int(math.Round(j)), p99: p99})
			}
			return 0
		})
	}
	return runs
}

func judgeEvil(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "timeout", More: []string{"pools", "most endless tasks", "median p99",
		"runs"},
		Number: "pool stopped", Format: evidence.Interval.Percents}
	all := 0
	for _, timeout := range append([]time.Duration{evilNever}, evilTimeouts...) {
		names, stopped, runs, most := evilPools, 0, 0, 0 // most: endless tasks in a run
		var p99s []float64
		if timeout != evilNever {
			names = names[:1]
		}
		for _, name := range names {
			cells := evilUnknown(name)
			if timeout != evilNever {
				cells = evilCutOff(timeout)[:evilSettled]
			}
			before := runs
			for _, r := range evilRuns(m, cells, cells) {
				if r.endless < limit {
					continue
				}
				runs++
				p99s = append(p99s, r.p99)
				most = max(most, r.endless)
				if r.longest >= evilMinute {
					stopped++
				}
			}
			if runs == before {
				return evidence.Missing("%s was not measured with %d endless tasks or more and "+
					"a timeout of %v", name, limit, timeout)
			}
		}
		all += runs
		pools := names[0]
		if len(names) > 1 {
			pools = fmt.Sprintf("%d pools", len(names))
		}
		r.Certain(text.Duration(timeout), evidence.Point(float64(stopped)/float64(runs)),
			stopped == runs, stopped == 0, pools, fmt.Sprint(most),
			evidence.Short(evidence.OfMedian(p99s), text.ShortSeconds), fmt.Sprint(runs))
	}
	if r.Verdict() == decide.ClaimUndecided { // some runs of a timeout are stopped, some not
		for i, c := range r.Cases {
			r.Cases[i].NotYes, r.Cases[i].NotNo = !c.Yes, !c.No
		}
	}
	stop := fmt.Sprintf("%d endless tasks or more ", limit)
	f := r.Find(evidence.Sentences{
		Holds:       stop + "stop each pool, whatever the timeout, " + evidence.ButFor(all),
		DoesNotHold: stop + "stop no pool, whatever the timeout, " + evidence.ButFor(all),
		Depends:     "on the timeout",
	}, "whether endless tasks stop a pool")
	for _, name := range evilKeepers {
		worst := evilRun{}
		for _, r := range evilKnownRuns(m, name) {
			if r.p99 > worst.p99 {
				worst = r
			}
		}
		if worst.p99 > 0 {
			f.Add("with tasks of %s instead, labelled as long, and %s: the good tasks' p99 is at "+
				"most %s (%s)", text.Duration(evilLong), name,
				text.ShortSeconds(worst.p99), text.Count(worst.endless, "long task"))
		}
	}
	for _, name := range []string{free, shedding} {
		worst, most := evilRun{inTime: 2}, 0.0
		for _, r := range evilRuns(m, evilUnknown(name), evilUnknown(free)) {
			if most = max(most, r.inFlightMax); r.inTime <= worst.inTime+1e-4 {
				worst = r
			}
		}
		if worst.inTime <= 1+1e-9 {
			f.Add("without a timeout %s completes at worst %s of the good tasks within %s, with "+
				"%d endless ones and up to %.0f tasks in flight", name,
				text.ShortShare(math.Round(1e4*worst.inTime)/1e4),
				text.Duration(10*evilGood),
				worst.endless, most)
		}
	}
	return f
}

func evilSeries(name string, style int, runs []evilRun) (s charts.Series) {
	by := map[int][]float64{}
	for _, r := range runs {
		by[r.endless] = append(by[r.endless], r.p99)
	}
	s.Name, s.Style = name, style
	for _, n := range slices.Sorted(maps.Keys(by)) {
		if v := evidence.OfMedian(by[n]).Mid; !math.IsNaN(v) {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, v)
		}
	}
	return s
}

func drawEvil(m *evidence.Measured) evidence.Figure {
	y := evidence.Log("p99 response of the good tasks", charts.Seconds, 0.01, 0.1, 1, 10, 100, 3600)
	y.Reach = []float64{0.015, 20_000}
	count := charts.Axis{Label: "endless tasks in the run", Marks: []float64{0, 2, 4, 6, 8, 10, 12},
		Name: "endless"}
	unknown := evidence.Plane("Unlabelled, no timeout", count, y)
	timed := evidence.Plane("Cut off by a timeout", charts.Axis{
		Label: "load of all tasks together", Marks: []float64{0.5, 0.75, 1, 1.25}}, y)
	known := evidence.Plane("Labelled, or in steps", count, y)
	names := m.Others(append(slices.Clone(evilPools), free, shedding),
		func(name string) bench.Scenario {
			return evilUnknown(name)[0]
		})
	for i, name := range slices.Concat([]string{"worker_pool", evilPools[3], free}, names) {
		unknown.Add(evilSeries(name, i, evilRuns(m, evilUnknown(name), evilUnknown(free))))
	}
	for i, timeout := range evilTimeouts {
		s := charts.Series{Name: fmt.Sprintf("worker_pool, %v", timeout), Style: 5 + i}
		timed.Add(evidence.Curve(s, evilBusy, evilCutOff(timeout), m.MedianOf(p99Response)))
	}
	for i, name := range evilKeepers {
		style := []int{0, 3, 4}[i]
		known.Add(evilSeries(strings.Split(name, ":")[0], style, evilKnownRuns(m, name)))
	}
	return evidence.Figure{
		Name:  "evil",
		Title: fmt.Sprintf("Endless tasks in a pool of %d slots", limit),
		Subtitle: fmt.Sprintf("%d tasks; good tasks last %s on average, and alone keep the pool "+
			"%s busy", evilTasks, text.Duration(evilGood), text.ShortShare(evilLoad)),
		Caption: []string{
			fmt.Sprintf("Left: the timeout is an hour, longer than any run; segregated and "+
				"partitioned do the same as worker_pool and are not drawn. From %.2g endless "+
				"tasks on the remaining slots are overloaded, from %d on none remains.",
				limit*(1-evilLoad), limit),
			"Middle: endless tasks are cut off by the timeout; above a load of 1 every pool is " +
				"overloaded.",
			fmt.Sprintf("Right: tasks of %s, labelled as long: segregated keeps one slot for "+
				"them, partitioned leaves them every 10 ms.", text.Duration(evilLong)),
			m.Medians(evilUnknown("worker_pool")),
			"Left and right, points are medians of all runs with so many endless tasks.",
		},
	}.Planes(unknown, timed, known)
}

package capacity

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
)

type Probe struct {
	At                  float64 // load, rate, limit or queue
	Met, Missed, Untold int     // runs by verdict
	MissedBy, LostBy    []int   // runs that missed each objective, and those that did by losses
	Verdict             objectives.Verdict
	Decisions           []decide.Decision // by objective, in the long run; otherwise nil
	Offered             float64           // tasks per second, mean over the runs
	Waited              float64           // share of the tasks that waited, maximum over the runs
	// shares of the tasks that did not complete, means over the runs
	Losses [len(rundir.Lost)]result.Metric
}

func (p Probe) runs() int { return p.Met + p.Missed + p.Untold }

// A probe is a Probe in progress. At is a hardness. Offered and Losses are sums over the runs.
type probe struct {
	Probe
	done    bool
	results []*bench.Result // until it is done
}

type cell struct {
	scenario   bench.Scenario
	axis       Axis
	inLongRun  bool     // the question is about the long run
	probes     []*probe // by hardness
	calculated atomic.Int64
	confirmed  int   // runs
	err        error // why the search was given up
}

func (c *cell) insert(at float64) {
	c.probes = append(c.probes, &probe{Probe: Probe{At: at}})
	slices.SortFunc(c.probes, func(a, b *probe) int { return cmp.Compare(a.At, b.At) })
}

func (c *cell) open() bool {
	return c.err == nil && slices.ContainsFunc(c.probes, func(p *probe) bool { return !p.done })
}

// bracket returns the highest load met and the lowest higher load missed, or NaN.
func (c *cell) bracket() (met, missed float64) {
	met, missed = math.NaN(), math.NaN()
	for _, p := range c.probes {
		switch p.Verdict {
		case objectives.Met:
			met, missed = p.At, math.NaN()
		case objectives.Missed:
			if math.IsNaN(missed) {
				missed = p.At
			}
		}
	}
	return met, missed
}

// refine halves the gap between the highest load met and the lowest load missed, or both gaps
// around undecided loads between the two. A gap must be wider than the resolution, a share of its
// upper end. There are at most most probes in all.
func (c *cell) refine(resolution float64, most int) {
	met, missed := c.bracket()
	between := slices.DeleteFunc(slices.Clone(c.probes), func(p *probe) bool {
		return p.Verdict != objectives.Undecided || p.At < met || p.At > missed
	})
	gaps := [][2]float64{{met, missed}}
	if n := len(between); n > 0 {
		gaps = [][2]float64{{met, between[0].At}, {between[n-1].At, missed}}
	}
	if math.IsNaN(met) {
		gaps = append(gaps, c.crossings()...)
	}
	for _, gap := range gaps {
		if len(c.probes) < most {
			c.halve(gap[0], gap[1], resolution)
		}
	}
}

// crossings returns the gaps between neighbours that miss different objectives. A small limit may
// miss a latency and a large one a share of refused calls, while a limit between them meets both.
func (c *cell) crossings() (gaps [][2]float64) {
	for i, p := range c.probes[1:] {
		before := c.probes[i]
		if p.Verdict != objectives.Missed || before.Verdict != objectives.Missed {
			continue
		}
		if !slices.ContainsFunc(p.Misses(), func(m Miss) bool {
			return slices.Contains(before.Misses(), m)
		}) {
			gaps = append(gaps, [2]float64{before.At, p.At})
		}
	}
	return gaps
}

// A Miss is an objective, by its index, that a probe misses.
type Miss struct {
	Objective int
	ByLosses  bool // a latency, because of tasks that did not complete
}

// Misses returns the objectives that the probe surely misses or, if undecided, that most runs miss.
// After a missed objective the others are not decided.
func (p Probe) Misses() (misses []Miss) {
	for i, n := range p.MissedBy {
		verdict := decide.Undecided
		if len(p.Decisions) > 0 {
			verdict = p.Decisions[i].Verdict
		}
		if verdict == decide.Missed || verdict == decide.Undecided && 2*n > p.runs() {
			misses = append(misses, Miss{i, 2*p.LostBy[i] > p.runs()})
		}
	}
	return misses
}

func (c *cell) halve(from, to, resolution float64) {
	at, least := round(from+(to-from)/2, resolution), resolution*to
	if c.axis.whole() {
		at, least = math.Round(from+(to-from)/2), 1
	}
	if to-from > least && at > from && at < to {
		c.insert(at)
	}
}

// round keeps the digits of the resolution and one more, because a load becomes part of a name.
func round(v, resolution float64) float64 {
	digits := 2 + int(math.Ceil(-math.Log10(resolution)))
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return r
}

func (c *cell) answer() Answer {
	a := Answer{Scenario: c.scenario, Calculated: int(c.calculated.Load()),
		Confirmed: c.confirmed, Err: c.err}
	met, missed := c.bracket()
	a.Met, a.Missed = c.axis.value(met), c.axis.value(missed)
	for _, p := range c.probes {
		n := p.runs()
		if n == 0 {
			continue
		}
		tried := p.Probe
		tried.At = c.axis.value(p.At)
		tried.Offered /= float64(n)
		for i := range tried.Losses {
			tried.Losses[i].Value /= float64(n)
		}
		a.Probes = append(a.Probes, tried)
		if p.Verdict == objectives.Missed && p.At < met {
			a.MissedBelow = append(a.MissedBelow, tried.At)
		}
	}
	return a
}

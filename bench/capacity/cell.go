package capacity

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
)

// A Probe is a load that was tried.
type Probe struct {
	At                  float64 // the load, or the rate
	Met, Missed, Untold int     // runs by their verdict
	Verdict             objectives.Verdict
	Offered             float64 // tasks per second, the mean over the runs
}

// A probe is a Probe under way.
type probe struct {
	at      float64
	count   count
	verdict objectives.Verdict
	done    bool
	offered float64 // sum over the runs
}

// A cell is the search for one scenario.
type cell struct {
	scenario bench.Scenario
	probes   []*probe // by load
	err      error    // why it was given up
}

func (c *cell) insert(at float64) {
	c.probes = append(c.probes, &probe{at: at})
	slices.SortFunc(c.probes, func(a, b *probe) int { return cmp.Compare(a.at, b.at) })
}

// open reports whether a probe still wants runs.
func (c *cell) open() bool {
	return c.err == nil && slices.ContainsFunc(c.probes, func(p *probe) bool { return !p.done })
}

// bracket returns the highest load that is met, and the lowest above it that is missed; NaN where
// there is none. Only what is decided counts, also before the search is over.
func (c *cell) bracket() (met, missed float64) {
	met, missed = math.NaN(), math.NaN()
	for _, p := range c.probes {
		switch p.verdict {
		case objectives.Met:
			met, missed = p.at, math.NaN()
		case objectives.Missed:
			if math.IsNaN(missed) {
				missed = p.at
			}
		}
	}
	return met, missed
}

// refine adds probes in the gaps that are wider than the resolution, a share of their upper end, up
// to so many probes in all. The gaps are above the highest load met and below the lowest one
// missed; what stays undecided lies between them, and where nothing does they are one.
func (c *cell) refine(resolution float64, most int) {
	met, missed := c.bracket()
	between := slices.DeleteFunc(slices.Clone(c.probes), func(p *probe) bool {
		return p.verdict != objectives.Undecided || p.at < met || p.at > missed
	})
	gaps := [][2]float64{{met, missed}}
	if n := len(between); n > 0 {
		gaps = [][2]float64{{met, between[0].at}, {between[n-1].at, missed}}
	}
	for _, gap := range gaps {
		if len(c.probes) < most {
			c.halve(gap[0], gap[1], resolution)
		}
	}
}

// halve puts a probe into the middle of a gap; an end that is NaN is no end.
func (c *cell) halve(from, to, resolution float64) {
	if at := round(from+(to-from)/2, resolution); to-from > resolution*to && at > from && at < to {
		c.insert(at)
	}
}

// round keeps the digits that the resolution is worth, and one more: a load becomes part of a name.
func round(v, resolution float64) float64 {
	digits := 2 + int(math.Ceil(-math.Log10(resolution)))
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// answer is what is known by now.
func (c *cell) answer() Answer {
	a := Answer{Scenario: c.scenario, Err: c.err}
	a.Met, a.Missed = c.bracket()
	for _, p := range c.probes {
		if p.count.runs() == 0 {
			continue
		}
		a.Probes = append(a.Probes, Probe{
			At: p.at, Met: p.count.met, Missed: p.count.missed, Untold: p.count.untold,
			Verdict: p.verdict, Offered: p.offered / float64(p.count.runs()),
		})
		if p.verdict == objectives.Missed && p.at < a.Met {
			a.MissedBelow = append(a.MissedBelow, p.at)
		}
	}
	return a
}

package compare

import (
	"cmp"
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Pair are the tasks of two runs of one plan and seed.
type Pair struct{ Base, Here *Tasks }

// Known reports whether the parts of both are, and their tasks are due at the same times.
func (p Pair) Known() bool {
	return p.Base != nil && p.Here != nil && p.Base.kept.Parts != nil &&
		p.Here.kept.Parts != nil && p.Base.kept.SamePlan(p.Here.kept)
}

// A Difference is that of the responses of some pairs of runs, those here less those of the base.
type Difference struct {
	Pairs int `json:"pairs"`
	All   Sum `json:"all"` // of the tasks that completed in both
	// of those that took the p99 of their run or longer on either side; nil where a run has too few
	// tasks for a p99
	Tail *Sum `json:"tail,omitempty"`
	// of the p99, in seconds, in the mean of the pairs
	P99 float64 `json:"p99Sec"`
	// tasks that completed in one of the two runs alone, and those of them that were of the tail
	OnlyBase int   `json:"onlyBase"`
	OnlyHere int   `json:"onlyHere"`
	Unpaired int   `json:"tailUnpaired"`
	Most     *Most `json:"most,omitempty"` // nil where there is no tail, or no difference
}

// A Between is the Difference of two columns of a comparison.
type Between struct {
	Benchmark string `json:"benchmark"`
	Column    string `json:"column"`
	Base      string `json:"base"`
	Difference
}

// A Sum is of the differences of some tasks, in nanoseconds. Its parts add up to it.
type Sum struct {
	Tasks    int                   `json:"tasks"`
	Response int64                 `json:"responseNs"`
	Parts    map[metric.Part]int64 `json:"partsNs"`
}

func newSum() Sum { return Sum{Parts: map[metric.Part]int64{}} }

func (s *Sum) add(base, here *rundir.Parts) {
	s.Tasks++
	for i, name := range rundir.PartNames {
		d := here[i] - base[i]
		s.Response += d
		s.Parts[name] += d
	}
}

// mean is that of a sum, in seconds a task.
func (s *Sum) mean(ns int64) float64 { return float64(ns) / float64(s.Tasks) / 1e9 }

// MostShare is what share of a difference Most makes.
const MostShare = 0.9

// Most are the fewest tasks of the tail that make MostShare of its difference.
type Most struct {
	Tasks int `json:"tasks"`
	// bursts that they come in: each is due before those before have all ended, on the slower side
	Bursts int `json:"bursts"`
	// the burst with the largest part of their difference: that part, and since when and until when
	// its tasks are due, in seconds since the run began
	Share float64 `json:"share"`
	From  float64 `json:"fromSec"`
	Until float64 `json:"untilSec"`
}

// tailTask is a task of the tail of a pair.
type tailTask struct {
	pair, i    int
	difference int64
}

// Decompose is the difference of pairs that are all Known; at least one.
func Decompose(pairs []Pair) *Difference {
	d := &Difference{Pairs: len(pairs), All: newSum()}
	tail := newSum()
	var of []tailTask
	resolved := true
	for n, p := range pairs {
		base, here := p.Base.kept, p.Here.kept
		a, known := p99(base)
		b, too := p99(here)
		resolved = resolved && known && too
		d.P99 += float64(b-a) / float64(len(pairs)) / 1e9
		for i, was := range base.Responses {
			is := here.Responses[i]
			late := was >= a || is >= b
			switch {
			case was >= 0 && is >= 0:
				d.All.add(&base.Parts[i], &here.Parts[i])
				if late {
					tail.add(&base.Parts[i], &here.Parts[i])
					of = append(of, tailTask{n, i, is - was})
				}
				continue
			case was >= 0:
				d.OnlyBase++
			case is >= 0:
				d.OnlyHere++
			default:
				continue
			}
			if late {
				d.Unpaired++
			}
		}
	}
	if !resolved {
		d.P99, d.Unpaired = 0, 0
		return d
	}
	if d.Tail = &tail; tail.Response != 0 {
		d.Most = most(pairs, of, tail.Response)
	}
	return d
}

// p99 is that of the tasks that completed.
func p99(t *rundir.Tasks) (ns int64, known bool) {
	completed := slices.DeleteFunc(slices.Clone(t.Responses), func(v int64) bool { return v < 0 })
	if !statistics.Resolvable(0.99, len(completed)) {
		return 0, false
	}
	return statistics.NearestRanks(nil, completed, 0.99)[0], true
}

// most finds the fewest of the tasks whose differences are MostShare of all.
func most(pairs []Pair, tail []tailTask, all int64) *Most {
	sign := int64(cmp.Compare(all, 0))
	slices.SortStableFunc(tail, func(a, b tailTask) int {
		return cmp.Compare(sign*b.difference, sign*a.difference)
	})
	m, sum := &Most{}, 0.0
	for wanted := MostShare * float64(sign*all); sum < wanted; m.Tasks++ {
		sum += float64(sign * tail[m.Tasks].difference)
	}
	tail = tail[:m.Tasks]
	slices.SortFunc(tail, func(a, b tailTask) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.i, b.i))
	})
	var burst float64 // of the one at hand
	var from, ended int64
	for n, t := range tail {
		base, here := pairs[t.pair].Base.kept, pairs[t.pair].Here.kept
		due, until := base.Due(t.i)
		if n == 0 || t.pair != tail[n-1].pair || due > ended {
			m.Bursts++
			burst, from, ended = 0, due, 0
		}
		ended = max(ended, due+max(base.Responses[t.i], here.Responses[t.i]))
		burst += float64(sign * t.difference)
		if share := burst / sum; share > m.Share {
			m.Share, m.From, m.Until = share, float64(from)/1e9, float64(until)/1e9
		}
	}
	return m
}

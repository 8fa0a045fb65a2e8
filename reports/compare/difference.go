package compare

import (
	"cmp"
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Pair contains the tasks of two runs with the same plan and seed.
type Pair struct{ Base, Here *Tasks }

// Known reports whether the parts of both runs are known, and their tasks are due at the same
// times.
func (p Pair) Known() bool {
	return p.Base != nil && p.Here != nil && p.Base.tasks.Parts != nil &&
		p.Here.tasks.Parts != nil && p.Base.tasks.SamePlan(p.Here.tasks)
}

// A Difference is the difference of the responses in pairs of runs, Here minus Base.
type Difference struct {
	Pairs int `json:"pairs"`
	All   Sum `json:"all"` // tasks that completed in both
	// tasks at or above the p99 of their run on either side, or nil if a run has too few tasks for
	// a p99
	Tail *Sum `json:"tail,omitempty"`
	// in seconds, mean of the pairs
	P99 float64 `json:"p99Sec"`
	// tasks that completed in only one of the two runs
	OnlyBase int        `json:"onlyBase"`
	OnlyHere int        `json:"onlyHere"`
	Unpaired int        `json:"tailUnpaired"`
	Most     *TailShare `json:"most,omitempty"` // nil without a tail or a difference
}

// A ColumnDifference is the Difference of two columns of a comparison.
type ColumnDifference struct {
	Benchmark string `json:"benchmark"`
	Column    string `json:"column"`
	Base      string `json:"base"`
	Difference
}

// A Sum adds the differences of some tasks, in nanoseconds. It is the sum of its parts.
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

func (s *Sum) mean(ns int64) float64 { return float64(ns) / float64(s.Tasks) / 1e9 }

// MaxShare is the share of a difference that Most covers.
const MaxShare = 0.9

// TailShare is the smallest set of tail tasks that makes up MaxShare of the difference.
type TailShare struct {
	Tasks int `json:"tasks"`
	// in a burst, each task is due before all earlier ones have ended, on the slower side
	Bursts int `json:"bursts"`
	// burst with the largest share, and the first and last due time of its tasks, in seconds since
	// the run began
	Share float64 `json:"share"`
	From  float64 `json:"fromSec"`
	Until float64 `json:"untilSec"`
}

type tailTask struct {
	pair, i    int
	difference int64
}

// Decompose returns the difference of at least one pair. All pairs must be Known.
func Decompose(pairs []Pair) *Difference {
	d := &Difference{Pairs: len(pairs), All: newSum()}
	tail := newSum()
	var of []tailTask
	resolved := true
	for n, p := range pairs {
		base, here := p.Base.tasks, p.Here.tasks
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
		d.Most = mostAffected(pairs, of, tail.Response)
	}
	return d
}

func p99(t *rundir.Tasks) (ns int64, known bool) {
	completed := slices.DeleteFunc(slices.Clone(t.Responses), func(v int64) bool { return v < 0 })
	if !statistics.Resolvable(0.99, len(completed)) {
		return 0, false
	}
	return statistics.NearestRanks(nil, completed, 0.99)[0], true
}

func mostAffected(pairs []Pair, tail []tailTask, all int64) *TailShare {
	sign := int64(cmp.Compare(all, 0))
	slices.SortStableFunc(tail, func(a, b tailTask) int {
		return cmp.Compare(sign*b.difference, sign*a.difference)
	})
	m, sum := &TailShare{}, 0.0
	for wanted := MaxShare * float64(sign*all); sum < wanted; m.Tasks++ {
		sum += float64(sign * tail[m.Tasks].difference)
	}
	tail = tail[:m.Tasks]
	slices.SortFunc(tail, func(a, b tailTask) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.i, b.i))
	})
	var burst float64 // of the current burst
	var from, ended int64
	for n, t := range tail {
		base, here := pairs[t.pair].Base.tasks, pairs[t.pair].Here.tasks
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

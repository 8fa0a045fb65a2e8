package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A behaviour is a class of strategies whose contracts imply equal results for equal work.
type behaviour struct {
	members []strategies.Variant // from simple to elaborate
	plain   bool                 // first in, first out, without idle slots
	sheds   bool
	paced   float64 // starts per second. 0: unpaced
}

func (b behaviour) first() strategies.Variant { return b.members[0] }

// at returns the members that can have that limit. Some always run one task at a time.
func (b behaviour) at(limit int) (fit []strategies.Variant) {
	for _, v := range b.members {
		if !b.plain || v.Spec.Bound(params(v, limit, 1)) == limit {
			fit = append(fit, v)
		}
	}
	return fit
}

func params(v strategies.Variant, limit, queue int) strategies.Params {
	p := strategies.Params{Limit: limit, Values: v.Values}
	if v.Spec.UsesQueue {
		p.Queue = queue
	}
	return p
}

// isPlain reports whether the contract requires one first-in-first-out queue without idle slots
// that sheds only when full, or not at all.
func isPlain(v strategies.Variant) bool {
	s := v.Spec
	if !s.FIFO || !s.WorkConserving || s.Quantum != nil || s.ClassPools != nil || s.Starts != nil ||
		s.Bound == nil {
		return false
	}
	const limit, queue = 3, 5
	p := params(v, limit, queue)
	if s.Sheds {
		return s.Capacity != nil && s.Bound(p) == limit && s.Capacity(p) == limit+p.Queue
	}
	return true
}

func (q Question) candidates(sc bench.Scenario) (all []behaviour, left []string) {
	given := q.Strategies
	if given == nil {
		for _, s := range strategies.All() {
			if v, err := strategies.Parse(s.Name); err == nil {
				given = append(given, v)
			}
		}
	}
	why := map[string][]string{}
	var pools, shedders behaviour
	for _, v := range given {
		reason := q.unfit(v, sc)
		switch {
		case reason != "":
			why[reason] = append(why[reason], v.String())
		case v.Spec.Starts != nil && sc.Target.Spec.RateLimits && wantsRate(v):
			paced := pace(v, sc.Target)
			if len(paced) == 0 {
				why["the target has no known rate"] = append(why["the target has no known rate"],
					v.String())
			}
			all = append(all, paced...)
		case isPlain(v) && v.Spec.Sheds:
			shedders.members = append(shedders.members, v)
		case isPlain(v):
			pools.members = append(pools.members, v)
		default:
			all = append(all, behaviourOf(v, sc.Target))
		}
	}
	shedders.sheds = true
	for _, b := range []behaviour{shedders, pools} {
		if len(b.members) > 0 {
			b.plain = true
			slices.SortStableFunc(b.members, simpler)
			all = slices.Insert(all, 0, b)
		}
	}
	all = append(all, q.composed(sc)...)
	for reason, names := range why {
		left = append(left, fmt.Sprintf("%s: %s", strings.Join(names, ", "), reason))
	}
	slices.Sort(left)
	return all, left
}

func behaviourOf(v strategies.Variant, target targets.Variant) behaviour {
	return behaviour{members: []strategies.Variant{v}, sheds: v.Spec.Sheds,
		paced: startsOf(v, target).PerSecond}
}

func simpler(a, b strategies.Variant) int { return cmp.Compare(a.Spec.Parts, b.Spec.Parts) }

func (q Question) unfit(v strategies.Variant, sc bench.Scenario) string {
	s := v.Spec
	switch {
	case s.RealClock:
		return "needs a disk or a server"
	case s.Bound == nil:
		return "no limit"
	case (s.Sheds || s.Trips) && !q.MayShed:
		return "sheds tasks"
	case s.Resizes && q.Strategies == nil:
		return "changes its own limit"
	case s.Hedges && q.Strategies == nil:
		return "runs tasks twice"
	case s.Trips && sc.Target.Spec.Name == "none":
		return "the target never fails"
	case s.Retries && sc.Target.Spec.Name == "none":
		return "the target never refuses a call"
	case (s.Quantum != nil || s.Splits) && recorded(sc):
		return "a recorded task cannot be split"
	case (s.Quantum != nil || s.Splits) && q.Strategies == nil:
		return "splits tasks into steps"
	case s.Chooses() != "" && q.Strategies == nil:
		return "needs priorities, deadlines or tenants"
	case s.UsesSize && q.Strategies == nil:
		return "needs the sizes of tasks in advance"
	case s.ClassPools != nil && !classed(sc):
		return "needs classes of tasks"
	case s.Starts != nil && wantsRate(v) && !sc.Target.Spec.RateLimits:
		return "needs a target with a rate limit"
	}
	return ""
}

func recorded(sc bench.Scenario) bool { return sc.Workload.Spec.Name == "trace" }

func wantsRate(v strategies.Variant) bool {
	return hasKey(v.Spec.Keys, "rate", param.Float) && !v.Values.Given("rate")
}

// startsOf returns the zero Starts if the pace of v is unknown.
func startsOf(v strategies.Variant, target targets.Variant) strategies.Starts {
	if v.Spec.Starts == nil {
		return strategies.Starts{}
	}
	if rate := target.Spec.Rate; rate != nil {
		v.Values = v.Values.Settle("target", rate(target.Values))
	}
	return v.Spec.Starts(params(v, 1, 1))
}

var margins = []float64{1, 0.95}

func pace(v strategies.Variant, target targets.Variant) (all []behaviour) {
	for _, text := range paces(v.Spec.Name, v.Spec.Keys, target) {
		if paced, err := strategies.Parse(text); err == nil {
			all = append(all, behaviourOf(paced, target))
		}
	}
	return all
}

// targetRate returns the sustained rate of calls of a target, or 0, and the burst above it.
func targetRate(t targets.Variant) (perSecond float64, burst int) {
	if t.Spec.Rate == nil {
		return 0, 1
	}
	burst = 1
	if hasKey(t.Spec.Keys, "burst", param.Int) {
		burst = max(t.Values.Int("burst"), 1)
	}
	return t.Spec.Rate(t.Values), burst
}

func hasKey(keys []param.Key, name string, kind param.Kind) bool {
	return slices.ContainsFunc(keys, func(k param.Key) bool {
		return k.Name == name && k.Kind == kind
	})
}

func classed(sc bench.Scenario) bool {
	w, err := sc.Workload.Spec.Build(sc.Seed, sc.Workload.Values)
	if err != nil {
		return false
	}
	_, classes := w.(workloads.Classed)
	_, either := w.(workloads.Computing)
	return classes || either
}

// standIn replaces a workload that cannot wait in virtual time by a distribution with the same mean
// and C².
func standIn(w workloads.Variant, seed uint64) workloads.Variant {
	if w.Spec.New == nil || w.Spec.Kind == workloads.Wait {
		return w
	}
	real, err := w.Spec.Build(seed, w.Values)
	if err != nil {
		return w // its own error reports that
	}
	mean, c2 := real.Mean(), real.C2()
	text := fmt.Sprintf("constant:mean=%v", mean)
	if c2 > 0 && !math.IsNaN(c2) {
		text = fmt.Sprintf("lognormal:mean=%v,c2=%.3g", mean, c2)
	}
	if v, err := workloads.Parse(text); err == nil {
		return v
	}
	return w
}

package results

import (
	"cmp"
	"slices"
)

// A Pairing contains pairs of runs that were measured next to each other, or did the same work.
type Pairing struct {
	Old, New []*Run
	Left     int    // unpaired runs of both sides
	Numbered bool   // paired by a configuration line, not by the seed
	Why      string // why there are no pairs
}

// Reasons for the absence of pairs.
const (
	NoSeeds    = "not every run has a seed"
	SeedTwice  = "a seed occurs twice"
	OtherSeeds = "fewer than half of the seeds are on both sides"
)

// Paired pairs runs by the pair number in a configuration line, or else by seed, since equal seeds
// mean equal arrivals and work. Names may differ in the keys apart, and if that gives no pairs, in
// any way. There are no pairs if runs lack such a key, if several share one, or if fewer than half
// of the seeds are common.
func Paired(old, new []*Run, apart ...string) Pairing {
	numbers := func(r *Run) string { return r.ConfigValue("pair") }
	work := func(r *Run) string {
		seed := seedOf(r)
		if seed == "" {
			return ""
		}
		for _, p := range r.Keys {
			if !slices.Contains(apart, p.Key) {
				seed += "/" + p.Key + "=" + p.Value
			}
		}
		return seed
	}
	for i, key := range []func(*Run) string{numbers, work, seedOf} {
		if a, b := byUniqueKey(old, key), byUniqueKey(new, key); a != nil && b != nil {
			p := pairByKey(old, b, key)
			p.Left += len(new) - len(p.New)
			p.Numbered = i == 0
			if n := len(p.Old); n > 0 && (p.Numbered || 2*n >= min(len(old), len(new))) {
				return p
			}
		}
	}
	both := slices.Concat(old, new)
	switch {
	case slices.ContainsFunc(both, func(r *Run) bool { return seedOf(r) == "" }):
		return Pairing{Why: NoSeeds}
	case byUniqueKey(old, seedOf) == nil || byUniqueKey(new, seedOf) == nil:
		return Pairing{Why: SeedTwice}
	}
	return Pairing{Why: OtherSeeds}
}

func byUniqueKey(runs []*Run, key func(*Run) string) map[string]*Run {
	by := make(map[string]*Run)
	for _, run := range runs {
		k := key(run)
		if k == "" || by[k] != nil {
			return nil
		}
		by[k] = run
	}
	return by
}

func pairByKey(old []*Run, new map[string]*Run, key func(*Run) string) (p Pairing) {
	for _, run := range old {
		if other := new[key(run)]; other != nil {
			p.Old, p.New = append(p.Old, run), append(p.New, other)
		} else {
			p.Left++
		}
	}
	return p
}

func seedOf(r *Run) string { return cmp.Or(r.Seed, r.ConfigValue("seed")) }

// Values returns the values of a metric from pairs that have it on both sides.
func (p Pairing) Values(unit string) (old, new []float64) {
	for i, run := range p.Old {
		a, inOld := run.Value(unit)
		b, inNew := p.New[i].Value(unit)
		if inOld && inNew {
			old, new = append(old, a), append(new, b)
		}
	}
	return old, new
}

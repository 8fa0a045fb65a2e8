package results

import (
	"cmp"
	"slices"
)

// A Pairing is runs that belong together: Old[i] and New[i] were measured next to each other, or
// did the same work.
type Pairing struct {
	Old, New []*Run
	Left     int    // runs of either side without their other half
	Numbered bool   // by a configuration line, and not by the seed
	Why      string // there are no pairs, where that is so
}

// Why there are no pairs.
const (
	NoSeeds    = "not every run tells its seed"
	SeedTwice  = "a seed is there twice"
	OtherSeeds = "fewer than half of the seeds are on both sides"
)

// Paired finds the runs of two sides that belong together. Where a configuration line numbers the
// pair of every run, as those of gate's own measurements do, runs of one number are a pair.
// Otherwise runs of a seed are, since they face the same arrivals and do the same work: where names
// differ in those keys alone, and else whatever the names are. Without pairs are runs that do not
// tell what they belong to, or of which several tell the same, or that have fewer than half of
// their seeds in common.
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
		if a, b := keyed(old, key), keyed(new, key); a != nil && b != nil {
			p := matched(old, b, key)
			p.Left += len(new) - len(p.New)
			p.Numbered = i == 0
			// those that are left out would tell more than a few pairs
			if n := len(p.Old); n > 0 && (p.Numbered || 2*n >= min(len(old), len(new))) {
				return p
			}
		}
	}
	both := slices.Concat(old, new)
	switch {
	case slices.ContainsFunc(both, func(r *Run) bool { return seedOf(r) == "" }):
		return Pairing{Why: NoSeeds}
	case keyed(old, seedOf) == nil || keyed(new, seedOf) == nil:
		return Pairing{Why: SeedTwice}
	}
	return Pairing{Why: OtherSeeds}
}

// keyed finds runs by their key; nil when one has none, or two have the same.
func keyed(runs []*Run, key func(*Run) string) map[string]*Run {
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

// matched puts runs beside those of the same key.
func matched(old []*Run, new map[string]*Run, key func(*Run) string) (p Pairing) {
	for _, run := range old {
		if other := new[key(run)]; other != nil {
			p.Old, p.New = append(p.Old, run), append(p.New, other)
		} else {
			p.Left++
		}
	}
	return p
}

// seedOf is that of the run's work; "" where it is not known.
func seedOf(r *Run) string { return cmp.Or(r.Seed, r.ConfigValue("seed")) }

// Values are those of a metric in the pairs that have it on both sides.
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

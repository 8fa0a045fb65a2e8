package results

import (
	"maps"
	"slices"
)

// A RunID identifies a virtual-clock run. Runs with equal IDs have equal results, so they are one
// sample.
type RunID struct{ pkg, name, seed string }

// ID returns the identity of a virtual-clock run. The seed comes from a mark or from the metric
// virtual-seed.
func (r *Run) ID() (id RunID, virtual bool) {
	return RunID{r.ConfigValue("pkg"), r.Name, r.Seed},
		r.Seed != "" && (r.Virtual || r.Key("clock") == "virtual")
}

func (p *parser) isCopy(r *Run) bool {
	id, virtual := r.ID()
	if !virtual {
		return false
	}
	for _, before := range p.virtual[id] {
		if !slices.Equal(before.Config, r.Config) {
			continue
		}
		if before.Iters == r.Iters && maps.Equal(before.Values, r.Values) {
			p.warn.add(r.Pos, "a virtual run with the name and seed of an earlier run is a copy: "+
				"omitted")
		} else {
			p.warn.add(r.Pos, "line %d has a virtual run of this name and seed with other "+
				"values: the results contradict each other, and the first counts", before.Pos.Line)
		}
		return true
	}
	p.virtual[id] = append(p.virtual[id], r)
	return false
}

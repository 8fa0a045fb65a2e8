package results

import (
	"maps"
	"slices"
)

// A RunID identifies a run under the virtual clock. A repeated run is identical, so it is not a
// further sample.
type RunID struct{ pkg, name, seed string }

// ID returns the identity of a virtual-clock run. The seed comes from a mark of poolbench's
// commands, or from the metric virtual-seed of a benchmark in go test.
func (r *Run) ID() (id RunID, virtual bool) {
	return RunID{r.ConfigValue("pkg"), r.Name, r.Seed},
		r.Seed != "" && (r.Virtual || r.Key("clock") == "virtual")
}

// isCopy reports whether a virtual run has the name, seed and configuration of an earlier line. It
// warns differently if the results differ.
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

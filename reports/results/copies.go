package results

import (
	"maps"
	"slices"
)

// A RunID is what settles a run under the virtual clock, whose repetition is to the byte: the same
// again is no further sample.
type RunID struct{ pkg, name, seed string }

// ID returns the identity of a run under the virtual clock: of poolbench's commands, by their names
// and marks, or of a benchmark in go test, by the metric virtual-seed.
func (r *Run) ID() (id RunID, virtual bool) {
	return RunID{r.ConfigValue("pkg"), r.Name, r.Seed},
		r.Seed != "" && (r.Virtual || r.Key("clock") == "virtual")
}

// isCopy reports whether a virtual run is that of a line before it: of one name, seed and
// configuration. It is left out, with a warning that tells a copy from another outcome. Runs of
// another configuration, another commit for instance, are other runs.
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
			p.warn.add(r.Pos, "a virtual run that is there already, by name and seed, is a copy "+
				"and no further sample: left out")
		} else {
			p.warn.add(r.Pos, "a virtual run of this name and seed is in line %d, with other "+
				"values: the results contradict each other; the first counts", before.Pos.Line)
		}
		return true
	}
	p.virtual[id] = append(p.virtual[id], r)
	return false
}

package reports

import (
	"fmt"
	"math"
	"slices"
)

// fallingBehind names the strategies that do not keep up, and from where on.
func fallingBehind(s reportSweep) []string {
	from := make(map[string]float64)
	var names []string
	for _, c := range s.cells { // sorted by place
		if _, known := from[c.strategy]; !known && c.fallsBehind() {
			from[c.strategy] = s.x(c)
			names = append(names, c.strategy)
		}
	}
	if len(names) == 0 {
		return nil
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s from %s on", name, s.place(from[name]))
	}
	return []string{doNotKeepUp(parts) + " (arrows)."}
}

// leftOut says which strategies a chart does not show since they fall behind.
func leftOut(cells []*reportCell) []string {
	var names []string
	for _, c := range cells {
		if c.fallsBehind() && !slices.Contains(names, c.strategy) {
			names = append(names, c.strategy)
		}
	}
	if len(names) == 0 || len(keepingUp(cells)) == len(cells) {
		return nil
	}
	return []string{"Not drawn: " + doNotKeepUp(names) + "."}
}

func doNotKeepUp(names []string) string {
	if len(names) == 1 {
		return names[0] + " does not keep up with the arrivals, and its response grows with the length of the run"
	}
	return list(names) + " do not keep up with the arrivals, and their response grows with the length of the run"
}

// fallsBehind reports whether the queue grew for as long as the arrivals lasted, so that the response says how long the
// run was, and little else: clearly less was completed per second than offered, and next to nothing refused. A strategy
// that keeps up also takes a little longer than the arrivals, for its last tasks; in a short run of very variable tasks
// that is some percent. False for closed arrivals, which wait for completions.
func (c *reportCell) fallsBehind() bool {
	const behind, refused = 0.92, 0.01
	done := c.value("ops/s") / c.value("offered-ops/s")
	lost := 0.0
	for _, unit := range []string{"shed/op", "throttled/op", "failed/op", "abandoned/op"} {
		if v := c.value(unit); !math.IsNaN(v) {
			lost += v
		}
	}
	return done < behind && lost < refused && !(math.IsNaN(c.load) && math.IsNaN(c.rate))
}

// keepingUp are the cells that do not fall behind; all of them where none keeps up.
func keepingUp(cells []*reportCell) []*reportCell {
	kept := slices.DeleteFunc(slices.Clone(cells), (*reportCell).fallsBehind)
	if len(kept) == 0 {
		return cells
	}
	return kept
}

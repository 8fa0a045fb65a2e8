package page

import (
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
)

// fallingBehind names the strategies that do not keep up, and where.
func fallingBehind(s reportSweep) []string {
	var parts []string
	for _, some := range byStrategy(only(s.cells, (*reportCell).fallsBehind)) {
		parts = append(parts, strings.TrimSpace(some[0].strategy+" "+s.where(some)))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{doNotKeepUp(prose.Few(parts, mostNames)) + " (arrows)."}
}

// where words some of the places at which a strategy was run: "from load 0.9 on" where these are
// all from there on.
func (s *reportSweep) where(some []*reportCell) string {
	ran := only(s.cells, func(c *reportCell) bool { return c.strategy == some[0].strategy })
	if n := len(some); n > 1 && slices.Equal(ran[len(ran)-n:], some) {
		return "from " + s.place(s.x(some[0])) + " on"
	}
	var at []string
	for _, c := range some {
		at = append(at, s.place(s.x(c)))
	}
	if places := strings.TrimSpace(prose.List(prose.Few(at, mostNames))); places != "" {
		return "at " + places
	}
	return ""
}

// leftOut says which strategies a chart of some places does not show since they fall behind there.
func leftOut(s reportSweep, places []float64) []string {
	var out []*reportCell
	for _, x := range places {
		cells := s.cellsAt(x)
		shown := keepingUp(cells)
		out = append(out, only(cells, func(c *reportCell) bool {
			return !slices.Contains(shown, c)
		})...)
	}
	var names []string
	for _, some := range byStrategy(out) {
		names = append(names, some[0].strategy)
		if len(some) < len(places) {
			names[len(names)-1] += " " + s.where(some)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Not drawn: " + doNotKeepUp(prose.Few(names, mostNames)) + "."}
}

func doNotKeepUp(names []string) string {
	if len(names) == 1 {
		return names[0] + " does not keep up with the arrivals, and its response grows with the " +
			"length of the run"
	}
	return prose.List(names) +
		" do not keep up with the arrivals, and their response grows with the length of the run"
}

// fallsBehind reports whether the queue grew for as long as the arrivals lasted, so that the
// response says how long the run was, and little else: clearly less was completed per second than
// offered, and next to nothing refused. A strategy that keeps up also takes a little longer than
// the arrivals, for its last tasks; in a short run of very variable tasks that is some percent.
// False for closed arrivals, which wait for completions, and for runs that are too short to have a
// steady state: their last tasks are most of them.
func (c *reportCell) fallsBehind() bool {
	const behind, refused = 0.92, 0.01
	if d := c.Doubts(); d != nil && d.TooShort() {
		return false
	}
	done := c.Value("ops/s") / c.Value("offered-ops/s")
	return done < behind && c.Lost() < refused && !c.closed()
}

// keepingUp are the cells that do not fall behind; all of them where none keeps up.
func keepingUp(cells []*reportCell) []*reportCell {
	kept := only(cells, func(c *reportCell) bool { return !c.fallsBehind() })
	if len(kept) == 0 {
		return cells
	}
	return kept
}

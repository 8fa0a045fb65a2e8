package page

import (
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/prose"
)

// fallingBehind names the strategies that do not keep up, and where.
func fallingBehind(s reportSweep) []string {
	at := make(map[string][]float64)
	var names []string
	for _, c := range s.cells { // sorted by place
		if c.fallsBehind() {
			if at[c.strategy] == nil {
				names = append(names, c.strategy)
			}
			at[c.strategy] = append(at[c.strategy], s.x(c))
		}
	}
	if len(names) == 0 {
		return nil
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.TrimSpace(name + " " + s.where(name, at[name]))
	}
	return []string{doNotKeepUp(parts) + " (arrows)."}
}

// where words some of the places at which a strategy was run: "from load 0.9 on" where these are
// all from there on.
func (s *reportSweep) where(strategy string, some []float64) string {
	var ran []float64
	for _, c := range s.cells {
		if c.strategy == strategy {
			ran = append(ran, s.x(c))
		}
	}
	if n := len(some); n > 1 && slices.Equal(ran[len(ran)-n:], some) {
		return "from " + s.place(some[0]) + " on"
	}
	var at []string
	for _, x := range some {
		at = append(at, s.place(x))
	}
	if places := strings.TrimSpace(prose.List(at)); places != "" {
		return "at " + places
	}
	return ""
}

// leftOut says which strategies a chart of some places does not show since they fall behind there.
func leftOut(s reportSweep, places []float64) []string {
	at := make(map[string][]float64)
	var names []string
	for _, x := range places {
		cells := s.cellsAt(x)
		shown := keepingUp(cells)
		for _, c := range cells {
			if slices.Contains(shown, c) {
				continue
			}
			if at[c.strategy] == nil {
				names = append(names, c.strategy)
			}
			at[c.strategy] = append(at[c.strategy], x)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		if len(at[name]) < len(places) {
			names[i] = name + " " + s.where(name, at[name])
		}
	}
	return []string{"Not drawn: " + doNotKeepUp(names) + "."}
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
// False for closed arrivals, which wait for completions.
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

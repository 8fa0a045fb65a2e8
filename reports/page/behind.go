package page

import (
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

func growingQueues(s Sweep) []string {
	parts := text.Texts(byStrategy(only(s.Cells, (*Cell).FallsBehind)), func(some []*Cell) string {
		return strings.TrimSpace(some[0].Strategy + " " + s.describePlaces(some))
	})
	if len(parts) == 0 {
		return nil
	}
	return []string{doNotKeepUp(text.Truncate(parts, maxNames)) + " (arrows)."}
}

// describePlaces returns, for example, "from load 0.9 on", or lists the places if a later one is
// missing.
func (s *Sweep) describePlaces(some []*Cell) string {
	ran := only(s.Cells, func(c *Cell) bool { return c.Strategy == some[0].Strategy })
	if n := len(some); n > 1 && slices.Equal(ran[len(ran)-n:], some) {
		return "from " + s.Place(s.X(some[0])) + " on"
	}
	at := text.Texts(some, func(c *Cell) string { return s.Place(s.X(c)) })
	if places := strings.TrimSpace(text.List(text.Truncate(at, maxNames))); places != "" {
		return "at " + places
	}
	return ""
}

func omittedGrowing(s Sweep, places []float64) []string {
	var out []*Cell
	for _, x := range places {
		cells := s.CellsAt(x)
		shown := keepingUp(cells)
		out = append(out, only(cells, func(c *Cell) bool {
			return !slices.Contains(shown, c)
		})...)
	}
	var names []string
	for _, some := range byStrategy(out) {
		names = append(names, some[0].Strategy)
		if len(some) < len(places) {
			names[len(names)-1] += " " + s.describePlaces(some)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"Not drawn: " + doNotKeepUp(text.Truncate(names, maxNames)) + "."}
}

func doNotKeepUp(names []string) string {
	if len(names) == 1 {
		return names[0] + " does not keep up with the arrivals, and its response grows with the " +
			"length of the run"
	}
	return text.List(names) +
		" do not keep up with the arrivals, and their response grows with the length of the run"
}

// keepingUp returns all cells if the queues of all of them grow.
func keepingUp(cells []*Cell) []*Cell {
	kept := only(cells, func(c *Cell) bool { return !c.FallsBehind() })
	if len(kept) == 0 {
		return cells
	}
	return kept
}

package recorded

import (
	"fmt"
	"math"
)

// Replay returns the words of the command that plays the file, one per line, or nil. quote quotes a
// word for a shell.
func (d *Document) Replay(quote func(string) string) []string {
	if d.Arrival == "" {
		return nil
	}
	lines := []string{fmt.Sprintf("poolbench run --clock virtual --limit %d", d.limit()),
		"--arrival " + quote(d.Arrival)}
	if d.Workload != "" {
		lines = append(lines, "--workload "+quote(d.Workload))
	}
	return lines
}

// limit is a third above the mean number of busy slots, so that the queue does not grow without
// bound.
func (d *Document) limit() int {
	if d.Durations == nil {
		return 4
	}
	return int(math.Ceil(d.Durations.Busy*4/3 + 0.5))
}

package recorded

import (
	"fmt"
	"math"
	"strings"
)

// Replay returns the words of the command that plays the file, one per line, or nil.
func (d *Document) Replay() []string {
	if d.Arrival == "" {
		return nil
	}
	lines := []string{fmt.Sprintf("poolbench run --clock virtual --limit %d", d.limit()),
		"--arrival " + shellWord(d.Arrival)}
	if d.Workload != "" {
		lines = append(lines, "--workload "+shellWord(d.Workload))
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

func shellWord(word string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_./:=,+@%", r) || '0' <= r && r <= '9' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

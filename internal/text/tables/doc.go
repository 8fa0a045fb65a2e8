// Package tables lays tables and paragraphs out: in columns of a fixed-width font, folded where a
// terminal is too narrow for them, and tables in Markdown.
package tables

import (
	"slices"
	"strings"
)

// Lines is the lines, each with its end, and broken where it is wider than most characters.
func Lines(lines []string, most int) string {
	return Fit(strings.Join(append(slices.Clip(lines), ""), "\n"), most)
}

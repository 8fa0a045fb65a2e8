// Package tables lays tables out: in columns of a fixed-width font, and in Markdown.
package tables

import (
	"slices"
	"strings"
)

// Lines is the lines, each with its end.
func Lines(lines []string) string { return strings.Join(append(slices.Clip(lines), ""), "\n") }

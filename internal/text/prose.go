package text

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Count returns, for example, 1 run, 2 runs, 3 strategies, 4 series.
func Count(n int, thing string) string {
	if stem, ok := strings.CutSuffix(thing, "y"); n != 1 && ok {
		thing = stem + "ies"
	} else if n != 1 && !strings.HasSuffix(thing, "series") {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func Texts[T any](all []T, text func(T) string) (texts []string) {
	for _, v := range all {
		texts = append(texts, text(v))
	}
	return texts
}

// Distinct keeps the order of first appearance.
func Distinct[T comparable](all []T) (each []T) {
	seen := map[T]bool{}
	for _, v := range all {
		if !seen[v] {
			seen[v], each = true, append(each, v)
		}
	}
	return each
}

func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Abbreviate formats one or two names, or the first name and the number of the others.
func Abbreviate(names []string) string {
	if len(names) > 2 {
		return fmt.Sprintf("%s and %d others", names[0], len(names)-1)
	}
	return List(names)
}

// Truncate returns the first names, at most most, and the number of the others.
func Truncate(names []string, most int) []string {
	if len(names) <= most+1 {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
}

// Tally omits zeros: "2 met, 1 missed".
func Tally[K comparable](counts map[K]int, kinds ...K) string {
	var parts []string
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Discreet returns a text in one line, with each secret, literal or URL-escaped, replaced by ….
func Discreet(text string, secrets ...string) string {
	text = OneLine(text)
	for _, secret := range secrets {
		for _, spelt := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if spelt != "" {
				text = strings.ReplaceAll(text, spelt, "…")
			}
		}
	}
	return text
}

// FirstLines indents every line after the first.
func FirstLines(text string, most int) string {
	const width = 160
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" {
			continue
		}
		if len(lines) == most {
			if most > 1 {
				lines = append(lines, "…")
			}
			break
		}
		if r := []rune(line); len(r) > width {
			line = string(r[:width]) + "…"
		}
		lines = append(lines, strings.ReplaceAll(line, "\t", "  "))
	}
	return strings.Join(lines, "\n    ")
}

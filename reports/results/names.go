package results

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// ShortNames removes the /key=value parts that all names share, and returns these parts.
func ShortNames(names []string) (short map[string]string, shared string) {
	short = identity(names)
	if len(short) < 2 {
		return short, ""
	}
	var common []string
	for i, name := range names {
		_, parts := benchfmt.Name(name).Parts()
		var keyed []string
		for _, part := range parts {
			if part[0] == '/' && bytes.IndexByte(part, '=') >= 0 &&
				(i == 0 || slices.Contains(common, string(part))) {
				keyed = append(keyed, string(part))
			}
		}
		common = keyed
	}
	if len(common) == 0 {
		return short, ""
	}
	taken := make(map[string]bool, len(short))
	for _, name := range slices.Sorted(maps.Keys(short)) {
		base, parts := benchfmt.Name(name).Parts()
		rest := slices.DeleteFunc(parts, func(part []byte) bool {
			return slices.Contains(common, string(part))
		})
		brief := string(base) + string(bytes.Join(rest, nil))
		if taken[brief] { // the name has a key twice
			return identity(names), ""
		}
		taken[brief] = true
		short[name] = brief
	}
	return short, strings.ReplaceAll(strings.TrimPrefix(strings.Join(common, ""), "/"), "/", " ")
}

// Shorten replaces names in lines of text by their short forms.
func Shorten(lines []string, short map[string]string) []string {
	var pairs []string
	// prefer the longer of two names at one place
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(short))) {
		pairs = append(pairs, name, short[name])
	}
	return text.Texts(lines, strings.NewReplacer(pairs...).Replace)
}

func identity(names []string) map[string]string {
	m := make(map[string]string, len(names))
	for _, name := range names {
		m[name] = name
	}
	return m
}

// Tag names a histogram of the run in its directory.
func (r *Run) Tag(reading string) string { return rundir.Tag(r.Name, r.Repetition, reading) }

// SharedLine prints the shared parts of the names.
func SharedLine(shared string) string { return "all benchmarks: " + shared }

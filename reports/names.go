package reports

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// shortNames takes out of each name the /key=value parts that all the names share, and returns these joined by blanks.
// The names of poolbench spell out the whole experiment; a table of one experiment need say it only once.
func shortNames(names []string) (short map[string]string, shared string) {
	short = identity(names)
	if len(short) < 2 {
		return short, ""
	}
	var common []string
	for i, name := range names {
		_, parts := benchfmt.Name(name).Parts()
		var keyed []string
		for _, part := range parts {
			if part[0] == '/' && bytes.IndexByte(part, '=') >= 0 && (i == 0 || slices.Contains(common, string(part))) {
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
		rest := slices.DeleteFunc(parts, func(part []byte) bool { return slices.Contains(common, string(part)) })
		brief := string(base) + string(bytes.Join(rest, nil))
		if taken[brief] { // a key twice in a name
			return identity(names), ""
		}
		taken[brief] = true
		short[name] = brief
	}
	return short, strings.ReplaceAll(strings.TrimPrefix(strings.Join(common, ""), "/"), "/", " ")
}

func identity(names []string) map[string]string {
	m := make(map[string]string, len(names))
	for _, name := range names {
		m[name] = name
	}
	return m
}

// shortNames are those of the rows, shortened where they are names of benchmarks.
func (c *Comparison) shortNames() (short map[string]string, shared string) {
	if c.rowKeys != defaultRow {
		return identity(c.names()), ""
	}
	return shortNames(c.names())
}

// names lists those of all rows.
func (c *Comparison) names() []string {
	var names []string
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			names = append(names, row.Name)
		}
	}
	return names
}

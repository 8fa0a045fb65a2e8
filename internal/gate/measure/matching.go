package measure

import (
	"regexp"
	"strings"
)

// elements splits the pattern of -bench as package testing does: alternatives at |, and levels of
// sub-benchmarks at /, both outside of brackets.
func elements(pattern string) (all []string) {
	for _, alternative := range splitOutside(pattern, '|') {
		all = append(all, splitOutside(alternative, '/')...)
	}
	return all
}

// mayMatch returns whether a pattern of -bench can match a benchmark function or its
// sub-benchmarks.
func mayMatch(pattern string) func(function string) bool {
	var first []*regexp.Regexp
	for _, alternative := range splitOutside(pattern, '|') {
		first = append(first, regexp.MustCompile(splitOutside(alternative, '/')[0]))
	}
	return func(function string) bool {
		for _, re := range first {
			if re.MatchString(function) {
				return true
			}
		}
		return false
	}
}

// splitOutside splits at a character that is not within brackets or parentheses, nor escaped.
func splitOutside(pattern string, at byte) (parts []string) {
	start, brackets, parentheses := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(brackets-1, 0)
		case c == '(' && brackets == 0:
			parentheses++
		case c == ')' && brackets == 0:
			parentheses--
		case c == at && brackets == 0 && parentheses == 0:
			parts = append(parts, pattern[start:i])
			start = i + 1
		}
	}
	return append(parts, pattern[start:])
}

// only is the pattern that matches the one benchmark.
func only(name string) string {
	levels := strings.Split(name, "/")
	for i, level := range levels {
		levels[i] = "^" + regexp.QuoteMeta(level) + "$"
	}
	return strings.Join(levels, "/")
}

// benchmarkFunctions finds the declarations of benchmarks in Go source. One too many, in a comment
// for instance, costs a build.
var benchmarkFunctions = regexp.MustCompile(`(?m)^func (Benchmark\w*)\(`)

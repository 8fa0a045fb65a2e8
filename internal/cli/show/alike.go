package show

import (
	"fmt"
	"slices"
	"strings"
)

// At least fewAlike strategies with equal results share a row.
const fewAlike = 3

// names contains the name of the shared row for the first of several strategies with equal results,
// and "" for the others. lines list the strategies.
func alike(groups []*group) (names map[string]string, lines []string) {
	var classes [][]string
	names = make(map[string]string)
	for _, g := range groups {
		for _, r := range g.rows {
			if _, known := names[r.Strategy]; known {
				continue
			}
			names[r.Strategy] = r.Strategy
			at := slices.IndexFunc(classes, func(class []string) bool {
				return !slices.ContainsFunc(groups, func(g *group) bool {
					return !g.cellOf(class[0]).Alike(g.cellOf(r.Strategy))
				})
			})
			if at < 0 {
				at, classes = len(classes), append(classes, nil)
			}
			classes[at] = append(classes[at], r.Strategy)
		}
	}
	for _, class := range classes {
		if len(class) < fewAlike {
			continue
		}
		for _, name := range class {
			names[name] = ""
		}
		names[class[0]] = fmt.Sprintf("%s and %d alike", class[0], len(class)-1)
		lines = append(lines, fmt.Sprintf("alike in every run: %s", strings.Join(class, ", ")))
	}
	return names, lines
}

package page

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/reports/why"
)

// The commands of profilesOf must be run in the directory.
func profilesOf(in *reportInput) []why.Tool {
	if in.dir == "" {
		return nil
	}
	tools := slices.Concat(why.Profiles(in.dir, in.results.Runs),
		why.Traces(in.dir, in.results.Runs))
	for _, t := range tools {
		for i, arg := range t.Command {
			if rel, err := filepath.Rel(in.dir, arg); err == nil && filepath.IsLocal(rel) {
				t.Command[i] = rel
			}
		}
	}
	return tools
}

func label(c *Cell) string { return cmp.Or(c.Strategy, c.Name) }

package page

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

func boundText(b results.Bound) string {
	op := strings.NewReplacer("<=", "≤", ">=", "≥").Replace(b.Op)
	return fmt.Sprintf("%s %s %s", strings.TrimSuffix(metricLabel(b.Unit), " ops/s"), op,
		text.Trimmed(b.Unit, b.Value))
}

func objectiveColumns(g *Group) (heads []Head, first []func(*Cell) Value) {
	for _, b := range g.Objectives {
		heads = append(heads, Head{boundText(b), "the decision on this objective, and its evidence"})
		first = append(first, func(c *Cell) Value {
			d := c.Decide(b)
			return Value{Text: d.Verdict.String(), Below: d.Evidence(b.Unit)}
		})
	}
	return heads, first
}

func objectiveBadges(bounds []results.Bound, groups []*Group) (out []shell.Badge) {
	for _, b := range bounds {
		counts, all := map[string]int{}, 0
		for _, g := range groups {
			for _, c := range g.Cells {
				counts[c.Decide(b).Verdict.String()]++
				all++
			}
		}
		badge := shell.Badge{Text: boundText(b) + ": " +
			text.Tally(counts, "met", "missed", "undecided")}
		switch {
		case all == 0:
			continue
		case counts["met"] == all:
			badge.Kind, badge.Text = "ok", "✓ "+badge.Text
		case counts["missed"] > 0:
			badge.Kind, badge.Text = "bad", "✗ "+badge.Text
		default:
			badge.Kind = "warn"
		}
		out = append(out, badge)
	}
	return out
}

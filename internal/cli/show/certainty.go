package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// certainty collects the precision of the p99 of several cells.
type certainty struct {
	least, most float64  // smallest and largest relative half-width of the cells that have one
	short       []string // cells without a half-width
	needed      float64  // largest number of tasks needed for a half-width of 5 %; 0 if unknown
	longest     string   // cell that needs this number
}

// Add ignores a cell whose load has no steady state.
func (c *certainty) Add(name string, cell results.Cell) {
	of, ok := cell.Certainty()
	switch {
	case !ok:
	case !of.Short:
		if c.most == 0 || of.Half < c.least {
			c.least = of.Half
		}
		c.most = max(c.most, of.Half)
	default:
		if of.Known {
			name += " " + "±" + text.Share(of.Half)
		}
		if c.short = append(c.short, name); of.Needed > c.needed {
			c.needed, c.longest = of.Needed, name
		}
	}
}

func distortedRows(rows []Row) []string {
	var short []string
	for _, r := range rows {
		if share := r.Ending(); share > 0 {
			short = append(short, fmt.Sprintf("%s (%s of its time is after the last arrival)",
				r.Strategy, text.Share(share)))
		}
	}
	if short == nil {
		return nil
	}
	return []string{"too short for a throughput: " + text.List(text.Truncate(short, 3))}
}

func (c *certainty) notes() (parts []string) {
	if c.most > 0 {
		span := "±" + text.Share(c.least)
		if to := "±" + text.Share(c.most); to != span {
			span += " to " + to
		}
		parts = append(parts, "95 % interval of the p99: "+span)
	}
	if len(c.short) > 0 {
		note := "too short for a p99 within ±10 %: " + text.List(text.Truncate(c.short, 3))
		if c.needed > 0 {
			note += fmt.Sprintf(" (±5 %% needs about %s tasks", text.Rounded(c.needed))
			if len(c.short) > 1 {
				note += " with " + c.longest
			}
			note += ")"
		}
		parts = append(parts, note)
	}
	return parts
}

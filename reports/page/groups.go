package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// A Group contains comparable runs, which differ only in strategy, limit and load or rate.
type Group struct {
	Study      int            // index of its finding. -1: none
	Base       string         // first part of the names: Run
	Keys       []results.Pair // shared by the group, in the order of the names
	Extra      []results.Pair // configuration that differs between the groups of the file
	Cells      []*Cell
	Objectives []results.Bound
	// metrics that decide its study
	Decides []string
}

// A Cell is a scenario: one run, or its repetitions.
type Cell struct {
	Name              string // full name of the runs
	Strategy          string
	Style             int     // of the strategy in charts
	Limit, Load, Rate float64 // NaN if missing from the name
	Source            int     // index of its result, if the page shows several
	results.Cell
}

// Groups sorts runs into groups and cells. Groups keep the order of the file. Cells are sorted by
// limit, load, rate and strategy.
func Groups(all *results.Results) []*Group {
	varying, studies := varyingConfig(all.Runs), all.StudyOf()
	looks := looksOf(all, studies)
	groups := make(map[string]*Group)
	cells := make(map[string]*Cell)
	var order []*Group
	for i := range all.Runs {
		run := &all.Runs[i]
		var extra []results.Pair
		keys := results.Without(run.Keys, "strategy", "limit", "load", "rate")
		if run.Attacked != "" {
			keys = results.Without(keys, "target")
		}
		for _, key := range varying {
			extra = append(extra, results.Pair{Key: key, Value: run.ConfigValue(key)})
		}
		config := strconv.Itoa(studies[i]) + "\x00" + pairsKey(extra)
		id := strings.Join([]string{run.Base(), pairsKey(keys), config}, "\x00")
		g := groups[id]
		if g == nil {
			g = &Group{Study: studies[i], Base: run.Base(), Keys: keys, Extra: extra,
				Objectives: all.Objectives}
			if g.Study >= 0 {
				g.Decides = all.Findings[g.Study].Decides
			}
			groups[id] = g
			order = append(order, g)
		}
		c := cells[run.Name+"\x00"+config]
		if c == nil {
			c = &Cell{
				Name:     run.Name,
				Strategy: run.Series(),
				Limit:    Number(run.Key("limit")),
				Load:     Number(run.Key("load")),
				Rate:     Number(run.Key("rate")),
			}
			c.Style = max(slices.Index(looks[studies[i]], c.Strategy), 0)
			cells[run.Name+"\x00"+config] = c
			g.Cells = append(g.Cells, c)
		}
		c.Cell = append(c.Cell, run)
	}
	order = joinQueues(order)
	for _, g := range order {
		g.Sort()
	}
	return order
}

// Sort sorts the cells as in tables.
func (g *Group) Sort() {
	slices.SortStableFunc(g.Cells, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Load, b.Load),
			cmp.Compare(a.Rate, b.Rate),
			cmp.Compare(a.Style-a.Source*cycle, b.Style-b.Source*cycle),
			cmp.Compare(a.Source, b.Source))
	})
}

// looksOf returns the strategies of each study in the order of their styles. Runs without a study
// have key -1.
func looksOf(r *results.Results, studies []int) map[int][]string {
	seen := make(map[int][]string)
	for i, study := range studies {
		if name := r.Runs[i].Series(); !slices.Contains(seen[study], name) {
			seen[study] = append(seen[study], name)
		}
	}
	looks := map[int][]string{-1: r.Strategies}
	for study, of := range seen {
		if study >= 0 {
			looks[study] = slices.DeleteFunc(slices.Clone(r.Strategies), func(name string) bool {
				return !slices.Contains(of, name)
			})
		}
	}
	return looks
}

func varyingConfig(runs []results.Run) (varying []string) {
	seen := make(map[string]string)
	for i := range runs {
		for _, p := range runs[i].Config {
			if _, ok := seen[p.Key]; !ok {
				seen[p.Key] = p.Value
				varying = append(varying, p.Key)
			}
		}
	}
	return slices.DeleteFunc(varying, func(key string) bool {
		return !slices.ContainsFunc(runs, func(r results.Run) bool {
			return r.ConfigValue(key) != seen[key]
		})
	})
}

func pairsKey(pairs []results.Pair) string {
	s := func(p results.Pair) string { return p.Key + "=" + p.Value }
	return strings.Join(text.Texts(pairs, s), "\x00")
}

// Varies returns "strategy" or "target", whichever differs between the cells at one place.
func (g *Group) Varies() string {
	if len(g.Cells) > 0 &&
		!slices.ContainsFunc(g.Cells, func(c *Cell) bool { return !c.Unbounded() }) {
		return "target"
	}
	return "strategy"
}

// Unbounded reports whether the cell is an attack without a strategy.
func (c *Cell) Unbounded() bool {
	return c.Cell[0].Attacked != "" && c.Cell[0].Key("strategy") == ""
}

func only(cells []*Cell, wanted func(*Cell) bool) []*Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c *Cell) bool { return !wanted(c) })
}

func byStrategy(cells []*Cell) [][]*Cell {
	return results.Gather(cells, func(c *Cell) string { return c.Strategy })
}

// Place names a cell's position without its strategy: "limit 4, load 0.8".
func (c *Cell) Place() string {
	return strings.Trim(c.limitText()+", "+c.LoadText(), ", ")
}

func (c *Cell) limitText() string { return c.text(Axes[charts.Limit]) }

// LoadText returns "load 0.8", "rate 200/s" or "".
func (c *Cell) LoadText() string { return c.text(Axes[charts.Load], Axes[charts.Rate]) }

func (c *Cell) text(axes ...Axis) string {
	for _, a := range axes {
		if v := a.Of(c); !math.IsNaN(v) {
			return a.Place(v)
		}
	}
	return ""
}

// OneLimit returns the limit of all cells in words, or "".
func (g *Group) OneLimit() string {
	for _, c := range g.Cells {
		if c.limitText() != g.Cells[0].limitText() {
			return ""
		}
	}
	return g.Cells[0].limitText()
}

// Number parses a number in a name, or returns NaN.
func Number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Key returns the group's value of a key, or "".
func (g *Group) Key(key string) string { return results.Lookup(g.Keys, key) }

// joinQueues joins groups that differ only in an explicit or a default queue. No strategy may be on
// both sides.
func joinQueues(groups []*Group) []*Group {
	withoutQueue := func(g *Group) []results.Pair { return results.Without(g.Keys, "queue") }
	joined := make(map[*Group]bool)
	for _, pair := range results.Gather(groups, func(g *Group) string {
		return strings.Join([]string{g.Base, pairsKey(withoutQueue(g)), strconv.Itoa(g.Study),
			pairsKey(g.Extra)}, "\x00")
	}) {
		if len(pair) != 2 {
			continue
		}
		into, from := pair[0], pair[1]
		queued, plain := from, into
		if len(withoutQueue(from)) == len(from.Keys) {
			queued, plain = into, from
		}
		if len(withoutQueue(plain)) != len(plain.Keys) || shareStrategy(queued, plain) {
			continue
		}
		into.Keys = queued.Keys
		for i, k := range into.Keys {
			if k.Key == "queue" {
				into.Keys = slices.Clone(into.Keys)
				of := text.List(text.Truncate(strategiesOf(queued.Cells), maxNames))
				into.Keys[i].Value += " of " + of
			}
		}
		into.Cells = append(into.Cells, from.Cells...)
		joined[from] = true
	}
	return slices.DeleteFunc(groups, func(g *Group) bool { return joined[g] })
}

func strategiesOf(cells []*Cell) []string {
	return text.Texts(byStrategy(cells), func(of []*Cell) string { return of[0].Strategy })
}

func shareStrategy(a, b *Group) bool {
	return slices.ContainsFunc(strategiesOf(a.Cells), func(name string) bool {
		return slices.Contains(strategiesOf(b.Cells), name)
	})
}

// Closed reports whether arrivals wait for completions, or all come at once.
func (c *Cell) Closed() bool { return math.IsNaN(c.Load) && math.IsNaN(c.Rate) }

// Styles at this distance share a colour.
var cycle = len(charts.Specification().Palette)

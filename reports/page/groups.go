package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// A reportGroup is what may be compared: the runs that differ in strategy, limit and load or rate,
// and in nothing else, neither in their names nor in their configuration, and were made for one
// study.
type reportGroup struct {
	study int            // the index of its finding, -1: none
	base  string         // of the names: Run
	keys  []results.Pair // what the group has in common, in the order of the names
	extra []results.Pair // configuration that differs between the groups of the file
	cells []*reportCell
	held  []results.Bound // what its runs were held to
}

// A reportCell is a scenario: one run, or the repetitions of one.
type reportCell struct {
	name              string // of the runs, in full
	strategy          string
	style             int     // of the strategy in charts
	limit, load, rate float64 // NaN where the name has none
	source            int     // of several results that are shown together: the index of its own
	results.Cell
}

// groupRuns sorts the runs of a file into groups and cells, both in the order in which the file
// first names them; cells then by limit, load, rate and strategy.
func groupRuns(all *results.Results) []*reportGroup {
	varying, studies := varyingConfig(all.Runs), all.StudyOf()
	looks := looksOf(all, studies)
	groups := make(map[string]*reportGroup)
	cells := make(map[string]*reportCell)
	var order []*reportGroup
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
		config := strconv.Itoa(studies[i]) + "\x00" + pairsText(extra)
		id := strings.Join([]string{run.Base(), pairsText(keys), config}, "\x00")
		g := groups[id]
		if g == nil {
			g = &reportGroup{study: studies[i], base: run.Base(), keys: keys, extra: extra,
				held: all.Objectives}
			groups[id] = g
			order = append(order, g)
		}
		c := cells[run.Name+"\x00"+config]
		if c == nil {
			c = &reportCell{
				name:     run.Name,
				strategy: run.Series(),
				limit:    number(run.Key("limit")),
				load:     number(run.Key("load")),
				rate:     number(run.Key("rate")),
			}
			c.style = max(slices.Index(looks[studies[i]], c.strategy), 0)
			cells[run.Name+"\x00"+config] = c
			g.cells = append(g.cells, c)
		}
		c.Cell = append(c.Cell, run)
	}
	order = joinQueues(order)
	for _, g := range order {
		g.sort()
	}
	return order
}

// sort puts the cells in the order of tables.
func (g *reportGroup) sort() {
	slices.SortStableFunc(g.cells, func(a, b *reportCell) int {
		return cmp.Or(cmp.Compare(a.limit, b.limit), cmp.Compare(a.load, b.load),
			cmp.Compare(a.rate, b.rate),
			cmp.Compare(a.style-a.source*cycle, b.style-b.source*cycle),
			cmp.Compare(a.source, b.source))
	})
}

// looksOf gives the strategies of each study in the order of their styles, and those of all runs
// that are of none, -1. A study has its own order: among those of many studies there are more
// strategies than a reader can tell apart.
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

// varyingConfig are the configuration keys that do not have one value throughout the file.
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

func pairsText(pairs []results.Pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + "=" + p.Value
	}
	return strings.Join(parts, "\x00")
}

// of is what the cells of a place differ in: the strategy or, of attacks without one, the target.
func (g *reportGroup) of() string {
	if len(g.cells) > 0 &&
		!slices.ContainsFunc(g.cells, func(c *reportCell) bool { return !c.unbounded() }) {
		return "target"
	}
	return "strategy"
}

// unbounded reports whether the cell is of attacks without a strategy.
func (c *reportCell) unbounded() bool {
	return c.Cell[0].Attacked != "" && c.Cell[0].Key("strategy") == ""
}

// only are the cells that are wanted.
func only(cells []*reportCell, wanted func(*reportCell) bool) []*reportCell {
	return slices.DeleteFunc(slices.Clone(cells), func(c *reportCell) bool { return !wanted(c) })
}

// byStrategy are the cells of each strategy, in the order in which the strategies come first.
func byStrategy(cells []*reportCell) [][]*reportCell {
	return results.Gather(cells, func(c *reportCell) string { return c.strategy })
}

// place names what distinguishes a cell in its group other than the strategy: "limit 4, load 0.8".
func (c *reportCell) place() string {
	return strings.Trim(c.limitText()+", "+c.loadText(), ", ")
}

// limitText is "limit 4", loadText "load 0.8" or "rate 200/s"; empty for what the name does not
// have.
func (c *reportCell) limitText() string { return c.text(axes[charts.Limit]) }
func (c *reportCell) loadText() string  { return c.text(axes[charts.Load], axes[charts.Rate]) }

// text words the value on the first of the axes that the name has.
func (c *reportCell) text(axes ...axis) string {
	for _, a := range axes {
		if v := a.of(c); !math.IsNaN(v) {
			return a.place(v)
		}
	}
	return ""
}

// oneLimit is the limit in words when all cells have the same; else it is empty.
func (g *reportGroup) oneLimit() string {
	for _, c := range g.cells {
		if c.limitText() != g.cells[0].limitText() {
			return ""
		}
	}
	return g.cells[0].limitText()
}

// number reads a number in a name; NaN where there is none.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// key is the group's value of a key; "" when it has none.
func (g *reportGroup) key(key string) string { return results.Lookup(g.keys, key) }

// joinQueues puts strategies that were given a queue beside those that were not, be it that they
// have none or that theirs is the default: one matrix runs them side by side. It does so where all
// that were given one were given the same, and none stands on both sides; the group's facts then
// say whose queue it is.
func joinQueues(groups []*reportGroup) []*reportGroup {
	withoutQueue := func(g *reportGroup) []results.Pair { return results.Without(g.keys, "queue") }
	joined := make(map[*reportGroup]bool)
	for _, pair := range results.Gather(groups, func(g *reportGroup) string {
		return strings.Join([]string{g.base, pairsText(withoutQueue(g)), strconv.Itoa(g.study),
			pairsText(g.extra)}, "\x00")
	}) {
		if len(pair) != 2 {
			continue
		}
		into, from := pair[0], pair[1]
		queued, plain := from, into
		if len(withoutQueue(from)) == len(from.keys) {
			queued, plain = into, from
		}
		if len(withoutQueue(plain)) != len(plain.keys) || shareStrategy(queued, plain) {
			continue
		}
		into.keys = queued.keys
		for i, k := range into.keys {
			if k.Key == "queue" {
				into.keys = slices.Clone(into.keys)
				of := prose.List(prose.Few(strategiesOf(queued), mostNames))
				into.keys[i].Value += " of " + of
			}
		}
		into.cells = append(into.cells, from.cells...)
		joined[from] = true
	}
	return slices.DeleteFunc(groups, func(g *reportGroup) bool { return joined[g] })
}

func strategiesOf(g *reportGroup) (names []string) {
	for _, of := range byStrategy(g.cells) {
		names = append(names, of[0].strategy)
	}
	return names
}

func shareStrategy(a, b *reportGroup) bool {
	return slices.ContainsFunc(strategiesOf(a), func(name string) bool {
		return slices.Contains(strategiesOf(b), name)
	})
}

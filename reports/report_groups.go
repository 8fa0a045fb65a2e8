package reports

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// A reportGroup is what may be compared: the runs that differ in strategy, limit and load or rate, and in nothing else,
// neither in their names nor in their configuration, and were made for one study.
type reportGroup struct {
	study int    // the index of its finding, -1: none
	base  string // of the names: Run
	keys  []Pair // what the group has in common, in the order of the names
	extra []Pair // configuration that differs between the groups of the file
	cells []*reportCell
}

// A reportCell is a scenario: one run, or the repetitions of one.
type reportCell struct {
	name              string // of the runs, in full
	strategy          string
	style             int     // of the strategy in charts
	limit, load, rate float64 // NaN where the name has none
	runs              []*Run
}

// groupRuns sorts the runs of a file into groups and cells, both in the order in which the file first names them; cells
// then by limit, load, rate and strategy.
func groupRuns(results *Results) []*reportGroup {
	varying, studies := varyingConfig(results.Runs), results.studyOf()
	looks := results.looks(studies)
	groups := make(map[string]*reportGroup)
	cells := make(map[string]*reportCell)
	var order []*reportGroup
	for i := range results.Runs {
		run := &results.Runs[i]
		var keys, extra []Pair
		for _, k := range run.Keys {
			switch k.Key {
			case "strategy", "limit", "load", "rate":
			default:
				keys = append(keys, k)
			}
		}
		for _, key := range varying {
			extra = append(extra, Pair{key, run.ConfigValue(key)})
		}
		config := strconv.Itoa(studies[i]) + "\x00" + pairsText(extra)
		id := strings.Join([]string{run.Base(), pairsText(keys), config}, "\x00")
		g := groups[id]
		if g == nil {
			g = &reportGroup{study: studies[i], base: run.Base(), keys: keys, extra: extra}
			groups[id] = g
			order = append(order, g)
		}
		c := cells[run.Name+"\x00"+config]
		if c == nil {
			c = &reportCell{
				name:     run.Name,
				strategy: run.Key("strategy"),
				limit:    number(run.Key("limit")),
				load:     number(run.Key("load")),
				rate:     number(run.Key("rate")),
			}
			c.style = max(slices.Index(looks[studies[i]], c.strategy), 0)
			cells[run.Name+"\x00"+config] = c
			g.cells = append(g.cells, c)
		}
		c.runs = append(c.runs, run)
	}
	for _, g := range order {
		slices.SortStableFunc(g.cells, func(a, b *reportCell) int {
			return cmp.Or(cmp.Compare(a.limit, b.limit), cmp.Compare(a.load, b.load), cmp.Compare(a.rate, b.rate), cmp.Compare(a.style, b.style))
		})
	}
	return order
}

// looks gives the strategies of each study in the order of their styles, and those of all runs that are of none, -1. A study has its own
// order: among those of many studies there are more strategies than a reader can tell apart.
func (r *Results) looks(studies []int) map[int][]string {
	seen := make(map[int]map[string]bool)
	for i := range r.Runs {
		if seen[studies[i]] == nil {
			seen[studies[i]] = make(map[string]bool)
		}
		seen[studies[i]][r.Runs[i].Key("strategy")] = true
	}
	looks := map[int][]string{-1: r.Strategies}
	for study, of := range seen {
		if study >= 0 {
			looks[study] = slices.DeleteFunc(slices.Clone(r.Strategies), func(name string) bool { return !of[name] })
		}
	}
	return looks
}

// varyingConfig are the configuration keys that do not have one value throughout the file.
func varyingConfig(runs []Run) (varying []string) {
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
		return !slices.ContainsFunc(runs, func(r Run) bool { return r.ConfigValue(key) != seen[key] })
	})
}

func pairsText(pairs []Pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + "=" + p.Value
	}
	return strings.Join(parts, "\x00")
}

// place names what distinguishes a cell in its group other than the strategy: "limit 4, load 0.8".
func (c *reportCell) place() string {
	return strings.Trim(c.limitText()+", "+c.loadText(), ", ")
}

// limitText is "limit 4", loadText "load 0.8" or "rate 200/s"; empty for what the name does not have.
func (c *reportCell) limitText() string {
	if math.IsNaN(c.limit) {
		return ""
	}
	return "limit " + charts.Count(c.limit)
}

func (c *reportCell) loadText() string {
	switch {
	case !math.IsNaN(c.load):
		return "load " + charts.Count(c.load)
	case !math.IsNaN(c.rate):
		return "rate " + charts.Count(c.rate) + "/s"
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
func (g *reportGroup) key(key string) string { return lookup(g.keys, key) }

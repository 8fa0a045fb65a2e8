package why

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A Family contains scenarios that differ in strategy, and on at most one axis.
type Family struct {
	Place   []results.Pair // the keys that they share
	Entries []Entry        // the slowest first
}

// An Entry explains neighbouring scenarios with equal causes by the slowest of them.
type Entry struct {
	Who   string // the strategies, or the target
	Range string // "limits 1 to 5", or "" if nothing varies
	At    string // place of the slowest one: "limit 1"
	ScenarioCauses
	Count int // number of scenarios
	names []string
}

// Title returns the strategies with their range.
func (e Entry) Title() string {
	if e.Range == "" {
		return e.Who
	}
	return e.Who + ", " + e.Range
}

// Opening begins the sentence that the causes end: "at limit 1 the p99 is 300 ms because".
func (e Entry) Opening() string {
	if e.At == e.Range {
		return e.ScenarioCauses.Opening()
	}
	return "at " + e.At + " the " + e.ScenarioCauses.Opening()
}

const maxNames = 4

// axes are the keys along which scenarios are neighbours, by preference.
var axes = []string{"limit", "rate", "load"}

// Families joins the groups of Groups that differ on one axis.
func Families(groups [][]ScenarioCauses) (out []Family) {
	base := func(without ...string) func([]ScenarioCauses) string {
		return func(g []ScenarioCauses) string {
			return fmt.Sprint(g[0].Cell[0].Base(), results.Without(g[0].Place(), without...))
		}
	}
	for _, like := range results.Gather(groups, base(axes...)) {
		axis := longest(like)
		for _, family := range results.Gather(like, base(axis)) {
			out = append(out, newFamily(family, axis))
		}
	}
	return out
}

// longest returns the axis with the most values, or "" if none has two.
func longest(groups [][]ScenarioCauses) (axis string) {
	most := 1
	for _, key := range axes {
		values := text.Distinct(text.Texts(groups, func(g []ScenarioCauses) string {
			return g[0].Cell[0].Key(key)
		}))
		if len(values) > most {
			axis, most = key, len(values)
		}
	}
	return axis
}

func newFamily(groups [][]ScenarioCauses, axis string) Family {
	f := Family{Place: results.Without(groups[0][0].Place(), axis)}
	all := slices.Concat(groups...)
	at := func(e ScenarioCauses) float64 {
		v, err := strconv.ParseFloat(e.Cell[0].Key(axis), 64)
		if err != nil {
			return 0
		}
		return v
	}
	for _, own := range results.Gather(all, ScenarioCauses.Name) {
		slices.SortStableFunc(own, func(a, b ScenarioCauses) int { return cmp.Compare(at(a), at(b)) })
		for len(own) > 0 {
			n := slices.IndexFunc(own, func(e ScenarioCauses) bool { return !sameCauses(e, own[0]) })
			if n < 0 {
				n = len(own)
			}
			f.add(newEntry(own[:n], axis))
			own = own[n:]
		}
	}
	slices.SortStableFunc(f.Entries, func(a, b Entry) int {
		return cmp.Compare(b.Answer.Value, a.Answer.Value)
	})
	return f
}

// add joins strategies with identical explanations.
func (f *Family) add(e Entry) {
	for i := range f.Entries {
		o := &f.Entries[i]
		if o.Range == e.Range && fmt.Sprint(o.Answer) == fmt.Sprint(e.Answer) {
			o.names = append(o.names, e.names...)
			o.Who = text.List(text.Truncate(o.names, maxNames))
			o.Count += e.Count
			return
		}
	}
	f.Entries = append(f.Entries, e)
}

func newEntry(like []ScenarioCauses, axis string) Entry {
	slowest := slices.MaxFunc(like, func(a, b ScenarioCauses) int {
		return cmp.Compare(a.Answer.Value, b.Answer.Value)
	})
	e := Entry{Who: slowest.Name(), names: []string{slowest.Name()}, ScenarioCauses: slowest,
		Count: len(like)}
	first, last := like[0].Cell[0].Key(axis), like[len(like)-1].Cell[0].Key(axis)
	if axis == "" || first == "" {
		return e
	}
	word := func(value string) string {
		return results.Words([]results.Pair{{Key: axis, Value: value}})[0]
	}
	e.At, e.Range = word(slowest.Cell[0].Key(axis)), word(first)
	if first != last {
		_, unit, _ := strings.Cut(word(last), last)
		e.Range = fmt.Sprintf("%ss %s to %s%s", axis, first, last, unit)
	}
	return e
}

func sameCauses(a, b ScenarioCauses) bool {
	return a.Unit == b.Unit && slices.EqualFunc(a.Causes, b.Causes, func(a, b Cause) bool {
		return a.Cause == b.Cause
	})
}

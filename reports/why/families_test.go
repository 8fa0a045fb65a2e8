package why

import (
	"fmt"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func explainedAt(
	strategy, axis string, at float64, value float64, causes ...string,
) ScenarioCauses {
	e := ScenarioCauses{Series: strategy, Cell: results.Cell{{Name: "Run", Keys: []results.Pair{
		{Key: "strategy", Value: strategy}, {Key: "workload", Value: "w"},
		{Key: axis, Value: fmt.Sprint(at)}}}}}
	e.Unit, e.Answer.Value = "p99-response-sec", value
	for _, c := range causes {
		e.Causes = append(e.Causes, Cause{Cause: c, Evidence: fmt.Sprint(c, value), Remedy: "r"})
	}
	return e
}

func TestFamilies(t *testing.T) {
	at := explainedAt
	for name, c := range map[string]struct {
		groups [][]ScenarioCauses
		want   []string
	}{
		"a sweep over limits": {[][]ScenarioCauses{
			{at("a", "limit", 64, 0.1, "work"), at("b", "limit", 64, 0.1, "work")},
			{at("a", "limit", 8, 0.2, "work"), at("b", "limit", 8, 0.2, "work")},
			{at("a", "limit", 3, 9, "queueing"), at("b", "limit", 3, 9, "queueing")},
			{at("a", "limit", 1, 8, "queueing"), at("b", "limit", 1, 8, "queueing")},
		}, []string{"a and b, limits 1 to 3: at limit 3 the p99 is 9.00 s because",
			"a and b, limits 8 to 64: at limit 8 the p99 is 200 ms because"}},
		"probes of a server": {[][]ScenarioCauses{
			{at("s", "rate", 125, 0.1, "target", "machine")},
			{at("s", "rate", 1000, 0.3, "target")}, {at("s", "rate", 250.5, 0.2, "target")},
		}, []string{"s, rates 250.5 to 1000 /s: at rate 1000 /s the p99 is 300 ms because",
			"s, rate 125 /s: p99 is 100 ms because"}},
		// Equal causes on both sides of another one are not neighbours.
		"an exception": {[][]ScenarioCauses{
			{at("a", "load", 0.5, 0.1, "work")}, {at("a", "load", 0.7, 0.2, "gc")},
			{at("a", "load", 0.9, 0.3, "work")},
		}, []string{"a, load 0.9: p99 is 300 ms because", "a, load 0.7: p99 is 200 ms because",
			"a, load 0.5: p99 is 100 ms because"}},
		"one place": {[][]ScenarioCauses{{at("a", "load", 0.5, 0.2, "work"),
			at("b", "load", 0.5, 0.1, "work")}},
			[]string{"a: p99 is 200 ms because", "b: p99 is 100 ms because"}},
	} {
		families := Families(c.groups)
		if len(families) != 1 {
			t.Errorf("%s: %d families", name, len(families))
			continue
		}
		var got []string
		count := 0
		for _, e := range families[0].Entries {
			got = append(got, e.Title()+": "+e.Opening())
			count += e.Count
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
		if all := len(slices.Concat(c.groups...)); count != all {
			t.Errorf("%s: %d of %d scenarios", name, count, all)
		}
	}
	// Scenarios that differ in two ways have a family for each value of the shorter axis.
	two := [][]ScenarioCauses{}
	for _, limit := range []float64{4, 8} {
		for _, load := range []float64{0.5, 0.7, 0.9} {
			e := at("a", "limit", limit, load, "work")
			e.Cell[0].Keys = append(e.Cell[0].Keys, results.Pair{Key: "load", Value: fmt.Sprint(load)})
			two = append(two, []ScenarioCauses{e})
		}
	}
	families := Families(two)
	if len(families) != 2 || len(families[0].Entries) != 1 ||
		families[0].Entries[0].Range != "loads 0.5 to 0.9" {
		t.Errorf("two axes: %+v", families)
	}
}

package show

import (
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestArrivalNotes(t *testing.T) {
	for _, c := range []struct {
		arrival, rate string
		arrived       float64
		want          string
	}{
		{"poisson", "200", 236, "arrived 236 /s instead of 200 /s: arrivals are random: the rate " +
			"of 450 Poisson arrivals varies by ±9.24 % (95 %); with about 9,600 tasks (--n) it " +
			"varies by ±2.00 %"},
		{"poisson", "200", 188, "arrived 188 /s instead of 200 /s: arrivals are random: the rate " +
			"of 450 Poisson arrivals varies by ±9.24 % (95 %); with about 9,600 tasks (--n) it " +
			"varies by ±2.00 %"},
		{"onoff:on=50ms,off=50ms", "200", 236, "arrived 236 /s instead of 200 /s: arrivals are " +
			"random, and 450 arrivals are too few for a precise rate: give more tasks (--n)"},
		{"poisson", "200", 204, ""},
		{"constant", "200", 236, ""},
		{"poisson", "", 236, ""}, // a load determines the rate
	} {
		g := &group{keys: []results.Pair{{Key: "arrival", Value: c.arrival},
			{Key: "rate", Value: c.rate}}, rows: []Row{{Cell: results.Cell{{Iters: 450,
			Values: map[string]float64{"offered-ops/s": c.arrived}}}}}}
		got := ""
		for _, note := range g.arrivalNotes() {
			got += note
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The title contains the number of tasks also if it is the default, unless the terminal is narrow.
func TestTitleHasTasks(t *testing.T) {
	pair := func(key, value string) results.Pair { return results.Pair{Key: key, Value: value} }
	for _, c := range []struct {
		keys    []results.Pair
		columns int
		want    string
	}{
		{nil, 0, "exponential, limit 4, 20000 tasks, virtual clock"},
		{nil, 48, "exponential, limit 4, 20000 tasks, virtual clock"},
		{nil, 47, "exponential, limit 4, virtual clock"},
		{[]results.Pair{pair("n", "300")}, 0, "exponential, limit 4, 300 tasks, virtual clock"},
		{[]results.Pair{pair("duration", "5s")}, 0,
			"exponential, limit 4, duration 5s, virtual clock"},
	} {
		keys := append([]results.Pair{pair("workload", "exponential"), pair("limit", "4")}, c.keys...)
		g := &group{keys: append(keys, pair("clock", "virtual")), rows: []Row{{Cell: results.Cell{{}}}}}
		if got := g.title(c.columns); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
	}
	attacked := &group{keys: []results.Pair{pair("target", "h"), pair("clock", "real")},
		rows: []Row{{Cell: results.Cell{{}}}}}
	if got := attacked.title(0); got != "target h, real clock" {
		t.Errorf("attack: %q", got)
	}
}

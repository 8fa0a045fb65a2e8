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

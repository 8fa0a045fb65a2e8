package shell

import (
	"fmt"

	"github.com/poolbench/poolbench/reports/results"
)

type metrics []any

func run(seed int, clock string, load float64, m metrics) *results.Run {
	r := &results.Run{Name: "Run", Seed: fmt.Sprint(seed), Values: map[string]float64{"verdict": 0},
		Keys: []results.Pair{{Key: "strategy", Value: "s"}, {Key: "workload", Value: "w"},
			{Key: "limit", Value: "4"}, {Key: "load", Value: fmt.Sprint(load)},
			{Key: "clock", Value: clock}}}
	for i := 0; i < len(m); i += 2 {
		switch v := m[i+1].(type) {
		case float64:
			r.Values[m[i].(string)] = v
		case int:
			r.Values[m[i].(string)] = float64(v)
		}
	}
	return r
}

func p99(strategy string, x float64, values ...float64) Case {
	c := Case{Strategy: strategy, X: x, Limit: 4}
	for i, v := range values {
		c.Cell = append(c.Cell, run(i+1, "virtual", x, metrics{"p99-response-sec", v}))
	}
	return c
}

func (c Case) with(unit string, v float64) Case {
	for _, r := range c.Cell {
		r.Values[unit] = v
	}
	return c
}

func (c Case) doubt(check string, v results.Verdict) Case {
	for _, r := range c.Cell {
		r.Values["verdict"] = float64(v)
		r.Doubts = []results.Doubt{{Invalid: v == results.Invalid, Text: check + ": why"}}
	}
	return c
}

func (c Case) uncertain(share float64) Case {
	for _, r := range c.Cell {
		r.Uncertain = map[string]float64{"p99-response-sec": share}
	}
	return c
}

func (c Case) growing() Case {
	return c.with("ops/s", 90).with("offered-ops/s", 100)
}

func sweep(cases ...Case) Sweep {
	return Sweep{Of: "strategy", Cases: cases, Style: func(string) int { return 0 },
		Place: func(x float64) string { return fmt.Sprint("load ", x) }}
}

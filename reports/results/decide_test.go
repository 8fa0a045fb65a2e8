package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
)

func decided(unit string, values []float64, also map[string]float64, doubts ...Doubt) (c Cell) {
	for i, v := range values {
		r := &Run{Name: "Run/clock=virtual", Keys: []Pair{{"clock", "virtual"}, {"load", "0.8"}},
			Seed: fmt.Sprint(i), Iters: 18_000, Doubts: doubts,
			Values: map[string]float64{unit: v, "verdict": float64(Valid)}}
		for unit, v := range also {
			r.Values[unit] = v
		}
		if len(doubts) > 0 {
			r.Values["verdict"] = float64(Suspect)
			if doubts[0].Invalid {
				r.Values["verdict"] = float64(Invalid)
			}
		}
		c = append(c, r)
	}
	return c
}

// A run that is too short, SUSPECT or contradicted by the exact value never meets an objective.
func TestDecide(t *testing.T) {
	const p99 = "p99-response-sec"
	below := Bound{Unit: p99, Op: "<", Value: 0.25}
	interval := func(low, high float64) map[string]float64 {
		return map[string]float64{"p99-response-low-sec": low, "p99-response-high-sec": high,
			"needed-tasks": 36_000}
	}
	short := Doubt{Text: "too short: the p99 response of 18000 tasks is uncertain by ±200 %"}
	lag := Doubt{Text: "lag: the generator was late"}
	grows := Doubt{Text: "not stationary: the response grows"}
	needs := func(n float64) map[string]float64 { return map[string]float64{"needed-tasks": n} }
	for name, c := range map[string]struct {
		cell  Cell
		bound Bound
		want  decide.Verdict
		says  string
	}{
		"interval below": {decided(p99, []float64{0.2}, interval(0.18, 0.23)),
			below, decide.Met, "95 % CI 180–230 ms, 1 run of 18,000 tasks"},
		"interval above": {decided(p99, []float64{0.3}, interval(0.27, 0.33)),
			below, decide.Missed, "270–330 ms"},
		"interval across": {decided(p99, []float64{0.24}, interval(0.21, 0.27)),
			below, decide.Undecided, "to decide: --n 110000"},
		"no interval": {decided(p99, []float64{0.215}, needs(710_000)),
			below,
			decide.Undecided, "no confidence interval from 1 run of 18,000 tasks); to decide: --n "},
		"far below": {decided(p99, []float64{0.1}, needs(200_000)),
			below, decide.Met, "far from the bound"},
		"far above": {decided(p99, []float64{0.9}, needs(200_000)),
			below, decide.Missed, "far from the bound"},
		"short and below": {decided(p99, []float64{0.01}, needs(9e6), short),
			below, decide.Undecided, "to decide: --n"},
		"short and above": {decided(p99, []float64{0.9}, needs(9e6), short),
			below, decide.Missed, ""},
		"suspect and met": {decided(p99, []float64{0.2}, interval(0.18, 0.23), lag),
			below, decide.Undecided, "SUSPECT: lag"},
		"invalid": {decided(p99, []float64{0.9}, interval(0.8, 1),
			Doubt{true, "pause: stood still"}),
			below, decide.Undecided, "INVALID: pause"},
		"exact value": {decided(p99, []float64{0.14}, map[string]float64{"theory-" + p99: 0.28}),
			below, decide.Missed, "the exact value is 280 ms"},
		"exact, contradicted": {decided(p99, []float64{0.14},
			map[string]float64{"theory-" + p99: 0.28},
			Doubt{Text: "theory: it is another"}), below, decide.Undecided, ""},
		"queue grows, above": {decided(p99, []float64{2}, nil, grows),
			below, decide.Missed, "queue grows"},
		"queue grows, below": {decided(p99, []float64{0.1}, interval(0.08, 0.12), grows),
			below, decide.Undecided, "SUSPECT"},
		"met by completed tasks": {decided(p99, []float64{0.2}, map[string]float64{
			"p99-response-low-sec": 0.18, "p99-response-high-sec": 0.23, "shed/op": 0.3,
			"throttled/op": 0.01}), Bound{Unit: decide.Mark + p99, Op: "<", Value: 0.25}, decide.Met,
			"18,000 tasks; completed tasks only, 30.0 % of tasks shed, 1.00 % throttled"},
		"missed by lost tasks": {decided(p99, []float64{0.2}, map[string]float64{
			"p99-response-low-sec": 0.18, "p99-response-high-sec": 0.23, "shed/op": 0.3,
			"throttled/op": 0.01}), below, decide.Missed,
			"31.0 % of the tasks were lost (1.00 % were refused, 30.0 % were shed)"},
		"all are lost": {decided("shed/op", []float64{1}, nil), below, decide.Missed,
			"100 % of the tasks were shed"},
		"lost, but invalid": {decided(p99, []float64{0.2}, map[string]float64{"shed/op": 0.3},
			Doubt{true, "pause: stood still"}), below, decide.Undecided, "INVALID"},
		"met, and few are lost": {decided(p99, []float64{0.2}, map[string]float64{
			"p99-response-low-sec": 0.18, "p99-response-high-sec": 0.23, "shed/op": 0.009}),
			below, decide.Met, "1 run of 18,000 tasks)"},
		"missing": {decided("ops/s", []float64{1}, nil),
			below, decide.Undecided, "needs 368"},
		"one share": {decided("shed/op", []float64{0.5}, nil),
			Bound{Unit: "shed/op", Op: "<=", Value: 0.01},
			decide.Undecided, "to decide: --count 5"},
		"shares of 5 seeds": {decided("shed/op", []float64{.5, .51, .49, .5, .52}, nil),
			Bound{Unit: "shed/op", Op: "<=", Value: 0.01}, decide.Missed, "5 runs"},
		"none shed in 5 seeds": {decided("shed/op", make([]float64, 5), nil),
			Bound{Unit: "shed/op", Op: "<=", Value: 0.01}, decide.Met, "5 runs"},
		"observed": {decided("peak-inflight", []float64{4, 5}, nil),
			Bound{Unit: "peak-inflight", Op: "<=", Value: 4}, decide.Missed, "5.00"},
	} {
		d := c.cell.Decide(c.bound)
		if text := d.Evidence(c.bound.Unit); d.Verdict != c.want ||
			!strings.Contains(text, c.says) {
			t.Errorf("%s: %v: %s, want %v: %s", name, d.Verdict, text, c.want, c.says)
		}
	}
}

// A share that was never observed may still be above 0. An objective of 0 is compared with the
// observed share.
func TestUnobservedShare(t *testing.T) {
	c := decided("shed/op", make([]float64, 5), nil)
	if d := c.Decide(Bound{Unit: "shed/op", Op: "<", Value: 1e-6}); d.Verdict != decide.Undecided {
		t.Errorf("a share below one in a million by 90,000 tasks: %v", d.Verdict)
	}
	if d := c.Decide(Bound{Unit: "shed/op", Op: "<=", Value: 0}); d.Verdict != decide.Met {
		t.Errorf("none shed: %v: %s", d.Verdict, d.Reason)
	}
}

// As in tables, "≈" marks an uncertain value, and values that are too uncertain are not shown.
func TestDecideUncertain(t *testing.T) {
	const p99 = "p99-response-sec"
	for share, want := range map[float64]string{0.4: "≈215 ms (", 3: "no confidence interval"} {
		c := decided(p99, []float64{0.215}, map[string]float64{"needed-tasks": 710_000})
		c[0].Uncertain = map[string]float64{p99: share}
		d := c.Decide(Bound{Unit: p99, Op: "<", Value: 0.25})
		if text := d.Evidence(p99); !strings.HasPrefix(text, want) {
			t.Errorf("±%v: %s", share, text)
		}
	}
}

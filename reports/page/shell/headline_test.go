package shell

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestHeadlines(t *testing.T) {
	late := func(c Case, good, all float64) Case {
		return c.with(goodput, good).with(throughput, all)
	}
	few := func(strategy string) Case {
		c := p99(strategy, 0.9, 0).with("p50-response-sec", 0.02)
		delete(c.Cell[0].Values, "p99-response-sec")
		return c
	}
	for name, c := range map[string]struct {
		want  string
		cases []Case
	}{
		"in time": {"At load 1.1 shed completes 619/s in time, pool 129/s", []Case{
			late(p99("shed", 1.1, 0.1, 0.1), 619, 700),
			late(p99("pool", 1.1, 4, 5), 129, 800).growing()}},
		"falls behind": {"At load 1.1 codel keeps the p99 response at 97.0 ms; the queues " +
			"of a and b grow without limit", []Case{p99("codel", 0.5, 0.04), p99("codel", 1.1, 0.097),
			p99("shed", 1.1, 0.128), p99("a", 1.1, 4).growing(), p99("b", 1.1, 5).growing()}},
		"falls behind with more slots": {"At load 1.1 codel keeps the p99 response at 97.0 ms; the " +
			"queue of a grows without limit", []Case{p99("codel", 1.1, 0.097),
			p99("a", 1.1, 4).with("peak-inflight", 8).growing()}},
		"at a price": {"At load 1.1 shed (34.2 % of tasks shed) keeps the p99 response at " +
			"97.0 ms; the queue of a grows without limit", []Case{
			p99("shed", 1.1, 0.097).with("shed/op", 0.342),
			p99("a", 1.1, 4).growing()}},
		"slower": {"At load 0.9 the p99 response is 100 ms with a and 250 ms with c, 2.5 times as " +
			"long", []Case{p99("a", 0.9, 0.1, 0.1), p99("b", 0.9, 0.2, 0.2),
			p99("c", 0.9, 0.25, 0.25)}},
		"faster at a price": {"At load 0.9 the p99 response is 100 ms with a (5.90 % of tasks " +
			"shed) and 250 ms with c (no task lost), 2.5 times as long", []Case{
			p99("a", 0.9, 0.1).with("shed/op", 0.059), p99("c", 0.9, 0.25)}},
		"alone beside a doubted one": {"At load 0.9 the p99 response is 100 ms with a (12.6 % " +
			"of tasks shed); b is SUSPECT", []Case{p99("a", 0.9, 0.1).with("shed/op", 0.126),
			p99("b", 0.9, 0.2).doubt("too short", results.Suspect)}},
		"alone beside one that is INVALID": {"At load 0.9 the p99 response is 100 ms with a; c is " +
			"SUSPECT; b is INVALID", []Case{p99("a", 0.9, 0.1),
			p99("b", 0.9, 0.2).doubt("broken law", results.Invalid),
			p99("c", 0.9, 0.2).doubt("lag", results.Suspect)}},
		"alone beside one that is banned": {"At load 0.9 the p99 response is 100 ms with a; b " +
			"completes nothing", []Case{p99("a", 0.9, 0.1),
			{Strategy: "b", X: 0.9, Cell: p99("b", 0.9, math.NaN()).with("throttled/op", 1).Cell}}},
		"one with more slots": {"At load 0.9 the p99 response is 115 ms with a and 46.0 ms with b, " +
			"which ran up to 7 tasks at once (limit 4)", []Case{
			p99("b", 0.9, 0.046).with("peak-inflight", 7), p99("a", 0.9, 0.115)}},
		"all with more slots": {"At load 0.9 the p99 response is 46.0 ms with b and 30.0 ms with " +
			"c, which ran up to 9 tasks at once (limit 4)", []Case{
			p99("b", 0.9, 0.046).with("peak-inflight", 7),
			p99("c", 0.9, 0.030).with("peak-inflight", 9)}},
		"several with more slots, and twins": {"At load 0.9 the p99 response is 115 ms with a and " +
			"twin, 46.0 ms with b, 30.0 ms with c and 1 more; b ran up to 7 and c ran up to 9 tasks " +
			"at once (limit 4)", []Case{
			p99("b", 0.9, 0.046).with("peak-inflight", 7),
			p99("a", 0.9, 0.115), p99("twin", 0.9, 0.115),
			p99("c", 0.9, 0.030).with("peak-inflight", 9),
			p99("d", 0.9, 0.020).with("peak-inflight", 10)}},
		"one unknown": {"At load 0.9 the p99 response is 100 ms with a and unknown (error above " +
			"±100 %) with b", []Case{p99("a", 0.9, 0.1), p99("b", 0.9, 0.01).uncertain(1.5)}},
		"below, where they differ": {"At load 0.5 the p99 response is 100 ms with a and 200 ms " +
			"with b, 2.0 times as long", []Case{p99("a", 0.5, 0.1), p99("b", 0.5, 0.2),
			p99("a", 0.9, 0.3), p99("b", 0.9, 0.301)}},
		"nothing": {"No significant difference at load 0.9: the p99 response is 100 to 104 ms with " +
			"2 strategies", []Case{p99("a", 0.9, 0.1), p99("b", 0.9, 0.104)}},
		"seeds disagree": {"No significant difference at load 0.9: the p99 response is 200 ms with " +
			"2 strategies", []Case{p99("a", 0.9, 0.1, 0.3), p99("b", 0.9, 0.2, 0.2)}},
		"alone, doubted at one end": {"pool: the p99 response goes from 100 ms at load 0.5 to 300 ms " +
			"(SUSPECT) at load 0.9", []Case{p99("pool", 0.5, 0.1),
			p99("pool", 0.9, 0.3).doubt("too short", results.Suspect)}},
		"alone, and the same": {"pool: the p99 response is 100 ms at load 0.5 and at load 0.9",
			[]Case{p99("pool", 0.5, 0.1), p99("pool", 0.9, 0.1)}},
		"all of them one class": {"2 strategies coincide (a and b): the p99 response goes from " +
			"100 ms at load 0.5 to 300 ms at load 0.9", []Case{p99("a", 0.5, 0.1),
			p99("b", 0.5, 0.1), p99("a", 0.9, 0.3), p99("b", 0.9, 0.3)}},
		"one strategy": {"a: at load 0.9 the p99 response is 300 ms", []Case{p99("a", 0.9, 0.3)}},
		"one that falls behind": {"a: the p99 response goes from 100 ms at load 0.5 to 200 ms at " +
			"load 0.9; at load 1.1 it falls behind", []Case{p99("a", 0.5, 0.1),
			p99("a", 0.9, 0.2), p99("a", 1.1, 5).growing()}},
		"one that does nothing else": {"a: at load 1.1 it falls behind", []Case{
			p99("a", 1.1, 5).growing()}},
		"all of them do": {"2 strategies coincide (a and b): at load 0.9 the p99 response is 100 " +
			"ms; at load 1.1 they fall behind", []Case{p99("a", 0.9, 0.1), p99("b", 0.9, 0.1),
			p99("a", 1.1, 5).growing(), p99("b", 1.1, 5).growing()}},
		"too few for a p99": {"2 strategies coincide (a and b): at load 0.9 the p50 response is " +
			"20.0 ms", []Case{few("a"), few("b")}},
		"no bound, no rank": {"At load 0.9 the p99 response is 100 ms with a and 200 ms with b, " +
			"2.0 times as long", []Case{p99("a", 0.9, 0.1), p99("b", 0.9, 0.2),
			p99("unbounded", 0.9, 0.01).with("peak-inflight", 50)}},
		"no rank, no class with who has one": {"At load 0.9 the p99 response is 100 ms with b and " +
			"200 ms with c, 2.0 times as long", []Case{
			p99("a", 0.9, 0.1).with("peak-inflight", 7), p99("b", 0.9, 0.1), p99("c", 0.9, 0.2)}},
		"doubted never win": {"At load 0.9 the p99 response is 100 ms with b and 200 ms with c, " +
			"2.0 times as long", []Case{p99("a", 0.9, 0.01).doubt("lag", results.Suspect),
			p99("b", 0.9, 0.1), p99("c", 0.9, 0.2),
			p99("d", 0.9, 9).doubt("pause", results.Invalid)}},
		"a soak with a gap": {"a: at load 0.9 the p99 response is 100 ms",
			[]Case{p99("a", 0.9, 0.1).doubt("gap", results.Suspect)}},
		"a soak that is not over": {"The run is not over, or was cut off: at load 0.9 the p99 " +
			"response reads 100 ms with a",
			[]Case{p99("a", 0.9, 0.1).doubt("unfinished", results.Suspect)}},
		"all doubted": {"SUSPECT (lag, 2 of 2): at load 0.9 the p99 response reads 100 ms with a, " +
			"200 ms with b", []Case{p99("a", 0.9, 0.1).doubt("lag", results.Suspect),
			p99("b", 0.9, 0.2).doubt("lag", results.Suspect)}},
		"all too short": {"SUSPECT (too short, 2 of 2): at load 0.9 there are too few tasks for the " +
			"p99 response of a and b (error above ±100 %)", []Case{
			p99("a", 0.9, 0.1).uncertain(1.5).doubt("too short", results.Suspect),
			p99("b", 0.9, 0.2).uncertain(1.5).doubt("too short", results.Suspect)}},
		"one too short": {"SUSPECT (too short, 2 of 2): at load 0.9 the p99 response reads ≈100 ms " +
			"with a; that of b is unknown (error above ±100 %)", []Case{
			p99("a", 0.9, 0.1).uncertain(0.5).doubt("too short", results.Suspect),
			p99("b", 0.9, 0.2).uncertain(1.5).doubt("too short", results.Suspect)}},
		"too short for a p99": {"SUSPECT (too short): at load 0.9 the p50 response reads " +
			"20.0 ms with a", []Case{p99("a", 0.9, 0.1).with("p50-response-sec", 0.02).
			uncertain(1.5).doubt("too short", results.Suspect)}},
		"unknown at one end": {"a: at load 0.5 the p99 response is 100 ms", []Case{
			p99("a", 0.5, 0.1), p99("a", 0.9, 0.2).with("p50-response-sec", math.NaN()).
				uncertain(1.5)}},
		"not compared if unknown": {"At load 0.9 the p99 response is 100 ms with a and 250 ms with " +
			"c, 2.5 times as long", []Case{p99("a", 0.9, 0.1), p99("b", 0.9, 0.01).uncertain(1.5),
			p99("c", 0.9, 0.25)}},
		"all doubted, and alike": {"SUSPECT (lag, 2 of 2): at load 0.9 the p99 response reads 100 ms " +
			"with a and b", []Case{p99("a", 0.9, 0.1).doubt("lag", results.Suspect),
			p99("b", 0.9, 0.1).doubt("lag", results.Suspect)}},
		"one of them INVALID": {"SUSPECT (lag, 1 of 2): at load 0.9 the p99 response reads " +
			"200 ms with b", []Case{p99("a", 0.9, 0.1).doubt("pause", results.Invalid),
			p99("b", 0.9, 0.2).doubt("lag", results.Suspect)}},
		"all INVALID": {"No result is reliable: 2 scenarios are INVALID (pause, 2 of 2): " +
			"at load 0.9 the p99 response reads 100 ms with a, 200 ms with b",
			[]Case{p99("a", 0.9, 0.1).doubt("pause", results.Invalid),
				p99("b", 0.9, 0.2).doubt("pause", results.Invalid)}},
		"others lead for some": {"At load 0.9 the p99 response is 100 ms with a and 200 ms with b, " +
			"2.0 times as long; of tasks of priority 1 it is 30.0 ms with b and 90.0 ms with a",
			[]Case{p99("a", 0.9, 0.1).with("priority-1-p99-response-sec", 0.09).
				with("priority-0-p99-response-sec", 0.1).with("short-p99-response-sec", 0.05),
				p99("b", 0.9, 0.2).with("priority-1-p99-response-sec", 0.03).
					with("priority-0-p99-response-sec", 0.3).with("short-p99-response-sec", 0.02)}},
		"the same lead for all": {"At load 0.9 the p99 response is 100 ms with a and 200 ms with " +
			"b, 2.0 times as long",
			[]Case{p99("a", 0.9, 0.1).with("short-p99-response-sec", 0.05),
				p99("b", 0.9, 0.2).with("short-p99-response-sec", 0.09)}},
		"nobody leads surely for some": {"At load 0.9 the p99 response is 100 ms with a and 200 " +
			"ms with b, 2.0 times as long",
			[]Case{p99("a", 0.9, 0.1).with("cpu-p99-response-sec", 0.0500),
				p99("b", 0.9, 0.2).with("cpu-p99-response-sec", 0.0499)}},
	} {
		a, ok := OfSweeps([]Sweep{sweep(c.cases...)})
		if !ok || a.Headline != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, a.Headline, c.want)
		}
	}
	if _, ok := OfSweeps(nil); ok {
		t.Error("an answer of nothing")
	}
}

// Overload alone must not exclude a SUSPECT strategy from the ranking.
func TestOverloadedStrategiesAreRanked(t *testing.T) {
	s := sweep(p99("shed", 1.1, 0.1).with("shed/op", 0.1).doubt("not stationary", results.Suspect),
		p99("pool", 1.1, 4).growing().doubt("not stationary", results.Suspect),
		p99("late", 0.9, 4).doubt("not stationary", results.Suspect),
		p99("lagging", 1.1, 0.05).doubt("lag", results.Suspect),
		p99("broken", 1.1, 0.05).doubt("overload", results.Invalid))
	if got, want := TrustOf([]Sweep{s}), (Reliability{Suspect: 2, Invalid: 1, Overload: 2,
		Why: "lag, 1 of 3"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	a, _ := OfSweeps([]Sweep{s})
	if !strings.HasPrefix(a.Headline, "At load 1.1 shed (10.0 % of tasks shed) keeps the p99 "+
		"response at 100 ms; the queue of pool") {
		t.Error(a.Headline)
	}
}

// The queue may grow even if no run detected this.
func TestFallingBehindIsNotValid(t *testing.T) {
	grows := p99("pool", 0.9, 4, 4, 4).growing()
	s := sweep(grows)
	if got, want := TrustOf([]Sweep{s}), (Reliability{Overload: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if d := grows.Doubts(); d == nil || !strings.HasPrefix(d.Text(), "overload: 90.0 /s completed of "+
		"100 /s offered") {
		t.Errorf("%+v", d)
	}
	// nearly all tasks are completed, and the queue grows
	slowly := p99("pool", 1.02, 4).with("ops/s", 98).with("offered-ops/s", 100)
	if a := sweep(slowly.doubt("overload", results.Suspect)).Answer(); a.Headline !=
		"pool: at load 1.02 it falls behind" {
		t.Error(a.Headline)
	}
}

func TestMostImportantSweep(t *testing.T) {
	a, _ := OfSweeps([]Sweep{sweep(p99("a", 0.9, 0.1), p99("b", 0.9, 0.101)),
		sweep(p99("a", 0.9, 0.1), p99("b", 0.9, 0.2)), sweep(p99("a", 0.9, 0.1))})
	if a.Sweep != 1 {
		t.Errorf("sweep %d: %s", a.Sweep, a.Headline)
	}
}

// Without a true difference, at most one of twenty files may name a best strategy.
func TestNoBestByChance(t *testing.T) {
	const files, strategies, repetitions = 400, 8, 6
	named := 0
	for seed := range uint64(files) {
		r := rand.New(rand.NewPCG(seed, 1))
		var cases []Case
		for i := range strategies {
			var values []float64
			for range repetitions {
				values = append(values, 0.1*(1+r.Float64()))
			}
			cases = append(cases, p99(fmt.Sprint("s", i), 0.9, values...))
		}
		if a, _ := OfSweeps([]Sweep{sweep(cases...)}); !strings.HasPrefix(a.Headline,
			"No significant difference") {
			named++
		}
	}
	if named > files/20 {
		t.Errorf("of %d files without a difference %d name one", files, named)
	}
}

func TestLargestFactor(t *testing.T) {
	for because, want := range map[string]float64{
		"on the target: it holds for a (×0.99), not for b (×1.13) and c (×1.12)": 1.13,
		"the p99 is 12.9 (10.9 to 15.2) times as high, the mean 2 times":         12.9,
		"it falls by 3.5 (3 to 4)":        3.5,
		"no call of a pool in 60 is lost": 0,
	} {
		if got := largestFactor(because); got != want {
			t.Errorf("%q: %v, want %v", because, got, want)
		}
	}
}

package shell

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestLossesOfBest(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		cases []Case
	}{
		"the worst loses none": {"At load 0.9 the p99 response is 89.3 ms with a (0.190 % of tasks " +
			"throttled) and 479 ms with b (no task lost), 5.4 times as long", []Case{
			p99("a", 0.9, 0.0893).with("throttled/op", 0.0019), p99("b", 0.9, 0.479)}},
		"one between loses none": {"At load 0.9 the p99 response is 100 ms with a (1.20 % of " +
			"tasks shed, 0.300 % failed) and 400 ms with c (0.100 % of tasks abandoned), 4.0 times " +
			"as long; with no task lost it is 200 ms with b", []Case{
			p99("a", 0.9, 0.1).with("shed/op", 0.012).with("failed/op", 0.003),
			p99("b", 0.9, 0.2), p99("c", 0.9, 0.4).with("abandoned/op", 0.001)}},
		"all lose": {"At load 0.9 the p99 response is 100 ms with a (5.00 % of tasks shed) and " +
			"200 ms with b (0.00500 % of tasks shed), 2.0 times as long; all lose tasks, the " +
			"fewest b (0.00500 % of tasks shed)", []Case{p99("a", 0.9, 0.1).with("shed/op", 0.05),
			p99("b", 0.9, 0.2).with("shed/op", 0.00005)}},
		"all lose, the best the fewest": {"At load 0.9 the p99 response is 100 ms with a (5.00 % " +
			"of tasks shed) and 200 ms with b (6.00 % of tasks shed), 2.0 times as long; all " +
			"lose tasks, and none fewer", []Case{p99("a", 0.9, 0.1).with("shed/op", 0.05),
			p99("b", 0.9, 0.2).with("shed/op", 0.06)}},
		"all but one in doubt": {"At load 0.9 the p99 response is 100 ms with a (5.00 % of tasks " +
			"shed) and 200 ms with b (6.00 % of tasks shed), 2.0 times as long; all but c " +
			"(SUSPECT) lose tasks", []Case{p99("a", 0.9, 0.1).with("shed/op", 0.05),
			p99("b", 0.9, 0.2).with("shed/op", 0.06),
			p99("c", 0.9, 0.3).doubt("too short", results.Suspect)}},
		"all, and one in doubt as well": {"At load 0.9 the p99 response is 100 ms with a (5.00 % " +
			"of tasks shed) and 200 ms with b (6.00 % of tasks shed), 2.0 times as long; all " +
			"lose tasks, and none fewer", []Case{p99("a", 0.9, 0.1).with("shed/op", 0.05),
			p99("b", 0.9, 0.2).with("shed/op", 0.06), p99("c", 0.9, 0.3).with("shed/op",
				0.07).doubt("too short", results.Suspect)}},
		"all that keep up": {"At load 1.1 a (20.0 % of tasks shed) keeps the p99 response at 100 " +
			"ms; the queue of c grows without limit; all that keep " +
			"up lose tasks", []Case{p99("a", 1.1, 0.1).with("shed/op", 0.2),
			p99("b", 1.1, 0.3).with("shed/op", 0.3), p99("c", 1.1, 9).growing()}},
		"only the worst": {"At load 0.9 the p99 response is 100 ms with a and 200 ms with b " +
			"(0.300 % of tasks failed), 2.0 times as long", []Case{p99("a", 0.9, 0.1),
			p99("b", 0.9, 0.2).with("failed/op", 0.003)}},
		"keeps up": {"At load 1.1 a (20.0 % of tasks shed) keeps the p99 response at 100 ms; the " +
			"queue of c grows without limit; with no task lost it is 300 ms with b", []Case{
			p99("a", 1.1, 0.1).with("shed/op", 0.2), p99("b", 1.1, 0.3),
			p99("c", 1.1, 9).growing()}},
		"in time": {"At load 1.1 a (20.0 % of tasks shed) completes 619/s in time, b (no task " +
			"lost) 129/s", []Case{
			p99("a", 1.1, 0.1).with("shed/op", 0.2).with(goodput, 619).with(throughput, 700),
			p99("b", 1.1, 9).with(goodput, 129).with(throughput, 800).growing()}},
		"nothing is told apart": {"No significant difference at load 0.9: the p99 response is 100 to " +
			"104 ms with 3 strategies; 2 lose tasks, the most c (9.00 % of tasks shed)", []Case{
			p99("a", 0.9, 0.1).with("failed/op", 0.0001), p99("b", 0.9, 0.102),
			p99("c", 0.9, 0.104).with("shed/op", 0.09)}},
		"alone": {"a: the p99 response goes from 100 ms at load 0.5 to 300 ms (2.00 % of tasks " +
			"abandoned) at load 0.9", []Case{p99("a", 0.5, 0.1),
			p99("a", 0.9, 0.3).with("abandoned/op", 0.02)}},
		"doubted": {"SUSPECT (lag, 2 of 2): at load 0.9 the p99 response reads 100 ms with a " +
			"(4.00 % of tasks failed), 200 ms with b", []Case{
			p99("a", 0.9, 0.1).with("failed/op", 0.04).doubt("lag", results.Suspect),
			p99("b", 0.9, 0.2).doubt("lag", results.Suspect)}},
	} {
		if a, _ := OfSweeps([]Sweep{sweep(c.cases...)}); a.Headline != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, a.Headline, c.want)
		}
	}
	for _, what := range []string{"shed", "throttled", "failed", "abandoned"} {
		for _, share := range []float64{0.00005, 0.0019, 0.3} {
			for reps := 1; reps <= 5; reps += 4 { // with five repetitions, one loses
				best := p99("a", 0.9, []float64{0.1, 0.1, 0.1, 0.1, 0.1}[:reps]...)
				best.Cell[0].Values[what+"/op"] = share * float64(reps)
				a, _ := OfSweeps([]Sweep{sweep(best,
					p99("b", 0.9, []float64{0.2, 0.2, 0.2, 0.2, 0.2}[:reps]...))})
				said := fmt.Sprintf("with a%s and", lossesOf(best.Cell))
				if !strings.Contains(said, what) || !strings.Contains(a.Headline, said) ||
					!strings.Contains(a.Headline, "b (no task lost)") {
					t.Errorf("%v %s in 1 of %d runs: %s", share, what, reps, a.Headline)
				}
			}
		}
	}
}

func TestCostsOfBest(t *testing.T) {
	for share, want := range map[float64]string{0: "No task is lost with a.",
		0.0001: "With a 0.0100 % of tasks shed at load 0.9."} {
		a, _ := OfSweeps([]Sweep{sweep(p99("a", 0.9, 0.1).with("shed/op", share),
			p99("b", 0.9, 0.2))})
		if got := a.Facts[len(a.Facts)-1].Text; got != want {
			t.Errorf("%v: %s", share, got)
		}
	}
	// a difference within a tenth counts if one strategy loses tasks for it
	s := sweep(p99("a", 0.5, 0.1).with("shed/op", 0.2), p99("b", 0.5, 0.101))
	if _, _, _, ok := s.noDifferenceUpTo(); ok {
		t.Error("a fifth of the tasks does not matter")
	}
}

func TestLossesOfSearch(t *testing.T) {
	s := Search{Axis: "load", From: 0.1, Objective: "p99-response<60ms"}
	found := func(name string, met, missed, lost float64) SearchResult {
		return SearchResult{Name: name, Met: met, Missed: missed,
			Cell: p99(name, 0, 0.1).with("shed/op", lost).Cell}
	}
	a := found("a", 1.2, math.NaN(), 0.383)
	for want, others := range map[string][]SearchResult{
		"; c (no task lost) only up to load 0.500 to 0.600": {found("c", 0.5, 0.6, 0)},
		"; c (no task lost) only up to load 0.700 to 0.800": {found("b", 0.7, 0.8, 0),
			found("c", 0.7, 0.8, 0)},
		"; c only up to load 0.500 to 0.600; with no task lost b, up to load 0.700 to 0.800": {
			found("b", 0.7, 0.8, 0), found("c", 0.5, 0.6, 0)},
		"; c (0.0100 % of tasks shed) only up to load 0.500 to 0.600; all that meet it lose tasks": {
			found("c", 0.5, 0.6, 0.0001)},
		"; c at no load from 0.100 on; all that meet it lose tasks": {
			found("c", math.NaN(), 0.1, 0)},
	} {
		s.Found = append(others, a)
		want = "a (38.3 % of tasks shed) meets p99-response<60ms up to load 1.20, the highest tried" +
			want
		if got, _ := OfSearch(s); got.Headline != want {
			t.Errorf("got  %q\nwant %q", got.Headline, want)
		}
	}
}

// Each failed session ends with one failed request, so the share of failed requests differs from
// the share of failed sessions.
func TestLossOfSessions(t *testing.T) {
	c := p99("a", 0.9, 0.1).with("failed/op", 0.3333).with("session-count", 60).
		with("session-shed/op", 0).with("session-failed/op", 1)
	if got, want := c.LossWords(), "33.3 % of requests failed, 100 % of sessions failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The throughput of a few tasks depends on the last task.
func TestEnding(t *testing.T) {
	c := func() Case {
		return p99("a", 0.9, 0.1).with("ops/s", 60).with("offered-ops/s", 100).with("mean-wait-sec", 0)
	}
	for name, k := range map[string]struct {
		of   Case
		want float64
	}{"short": {c(), 0.4}, "refused": {c().with("shed/op", 0.4), 0},
		"grows": {c().with("mean-wait-sec", 1e9), 0}, "long": {c().with("ops/s", 99), 0}} {
		if got := k.of.Ending(); math.Abs(got-k.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, k.want)
		}
	}
}

// A strategy may have losses even if the median is 0.
func TestLossOfRepetitions(t *testing.T) {
	for want, shares := range map[string][]float64{
		"3.00 % of tasks shed": {0.01, 0.03, 0.11}, "2.00 % of tasks shed": {0, 0, 0.06},
	} {
		c := p99("a", 0.9, 0.1, 0.1, 0.1)
		for i, share := range shares {
			c.Cell[i].Values["shed/op"] = share
		}
		if got := c.LossWords(); got != want {
			t.Errorf("%v: %q, want %q", shares, got, want)
		}
	}
}

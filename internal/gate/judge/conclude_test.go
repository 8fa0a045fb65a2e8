package judge

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func concluded(o Options, family ...Evidence) (rows []Row, tests int) {
	var r Report
	for _, e := range family {
		r.Rows = append(r.Rows, Row{Evidence: e, N: e.n, HeadN: e.n})
	}
	tests = o.conclude(r.family(anyRow))
	return r.Rows, tests
}

func TestConclude(t *testing.T) {
	o := Defaults()
	calm := Evidence{Test: verdict.BySignedRank, Change: 0, Low: -0.01, High: 0.01, PWorse: 0.9,
		PBetter: 0.9, LeastP: minP(20), n: 20}
	with := func(change func(e *Evidence)) Evidence {
		e := calm
		change(&e)
		return e
	}
	many := func(e Evidence, n int) []Evidence {
		family := make([]Evidence, n)
		for i := range family {
			family[i] = calm
		}
		family[0] = e
		return family
	}
	p := func(worse float64) Evidence { return with(func(e *Evidence) { e.PWorse = worse }) }
	for _, test := range []struct {
		name    string
		family  []Evidence
		verdict verdict.Verdict
		reason  string
	}{
		{"calm", many(calm, 1), verdict.NoWorse, ""},
		{"significant", many(p(0.05), 1), verdict.Worse, ""},
		{"not quite", many(p(0.0501), 1), verdict.NoWorse, ""},
		{"significant among 20", many(p(0.0025), 20), verdict.Worse, ""},
		{"not quite, among 20", many(p(0.00251), 20), verdict.NoWorse, ""},
		{"better", many(with(func(e *Evidence) { e.PBetter = 0.01 }), 1), verdict.Better, ""},
		{"too few", many(with(func(e *Evidence) { e.LeastP = minP(5) }), 1),
			verdict.Inconclusive, "too few pairs: "},
		{"too few, whatever they say",
			many(with(func(e *Evidence) { e.LeastP, e.PWorse = minP(5), 0 }), 1),
			verdict.Inconclusive, "too few pairs: "},
		{"enough", many(with(func(e *Evidence) { e.LeastP = minP(6) }), 1),
			verdict.NoWorse, ""},
		{"too few among 20", many(with(func(e *Evidence) { e.LeastP = minP(8) }), 20),
			verdict.Inconclusive, "too few pairs: "},
		{"enough among 20", many(with(func(e *Evidence) { e.LeastP = minP(9) }), 20),
			verdict.NoWorse, ""},
		{"below the promise", many(with(func(e *Evidence) { e.High = math.Log(1.0999) }), 1),
			verdict.NoWorse, ""},
		{"up to the promise", many(with(func(e *Evidence) { e.High = math.Log1p(0.1) }), 1),
			verdict.Inconclusive, o.notRuledOut()},
		{"not bounded", many(with(func(e *Evidence) { e.High = math.Inf(1) }), 1),
			verdict.Inconclusive, o.notRuledOut()},
		{"from zero", many(with(func(e *Evidence) { e.Appeared = true }), 1),
			verdict.Inconclusive, "0 in every run of the base, above 0 in the head"},
		{"exact and worse", many(exactly(o, 0.05), 20), verdict.Worse, ""},
		{"exact and better", many(exactly(o, -0.05), 20), verdict.Better, ""},
		{"exact, within the margin", many(exactly(o, 0.01), 20), verdict.NoWorse, ""},
	} {
		c, _ := concluded(o, test.family...)
		if c[0].Verdict != test.verdict || !strings.HasPrefix(c[0].Reason, test.reason) ||
			test.reason == "" && c[0].Reason != "" {
			t.Errorf("%s: %s (%s), want %s (%s)", test.name, c[0].Verdict, c[0].Reason,
				test.verdict, test.reason)
		}
		for i, other := range c[1:] {
			if other.Verdict != verdict.NoWorse {
				t.Errorf("%s: %s of calm evidence %d", test.name, other.Verdict, i+1)
			}
		}
	}
	// exact metrics do not increase the number of tests
	if c, tests := concluded(o, p(0.05), exactly(o, 0.05),
		exactly(o, 0)); c[0].Verdict != verdict.Worse || tests != 1 {
		t.Errorf("beside exact evidence: %+v", c[0])
	}
	if c, tests := concluded(o); len(c) != 0 || tests != 0 {
		t.Errorf("of nothing: %+v", c)
	}
}

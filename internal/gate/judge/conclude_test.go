package judge

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/reports/gate/verdict"
)

// What a conclusion is made of, from evidence that is put together by hand.
func TestConclude(t *testing.T) {
	o := Defaults()
	calm := Evidence{Test: verdict.BySignedRank, Change: 0, Low: -0.01, High: 0.01, PWorse: 0.9,
		PBetter: 0.9, LeastP: leastP(20), n: 20}
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
		cause   cause
	}{
		{"calm", many(calm, 1), verdict.NoWorse, none},
		{"significant", many(p(0.05), 1), verdict.Worse, none},
		{"not quite", many(p(0.0501), 1), verdict.NoWorse, none},
		{"significant among 20", many(p(0.0025), 20), verdict.Worse, none},
		{"not quite, among 20", many(p(0.00251), 20), verdict.NoWorse, none},
		{"better", many(with(func(e *Evidence) { e.PBetter = 0.01 }), 1), verdict.Better, none},
		{"too few", many(with(func(e *Evidence) { e.LeastP = leastP(5) }), 1),
			verdict.Inconclusive, tooFew},
		{"too few, whatever they say",
			many(with(func(e *Evidence) { e.LeastP, e.PWorse = leastP(5), 0 }), 1),
			verdict.Inconclusive, tooFew},
		{"enough", many(with(func(e *Evidence) { e.LeastP = leastP(6) }), 1),
			verdict.NoWorse, none},
		{"too few among 20", many(with(func(e *Evidence) { e.LeastP = leastP(8) }), 20),
			verdict.Inconclusive, tooFew},
		{"enough among 20", many(with(func(e *Evidence) { e.LeastP = leastP(9) }), 20),
			verdict.NoWorse,
			none},
		{"below the promise", many(with(func(e *Evidence) { e.High = math.Log(1.0999) }), 1),
			verdict.NoWorse, none},
		{"up to the promise", many(with(func(e *Evidence) { e.High = math.Log1p(0.1) }), 1),
			verdict.Inconclusive, notRuledOut},
		{"not bounded", many(with(func(e *Evidence) { e.High = math.Inf(1) }), 1),
			verdict.Inconclusive, notRuledOut},
		{"from zero", many(with(func(e *Evidence) { e.Appeared = true }), 1),
			verdict.Inconclusive, appearance},
		{"exact and worse", many(exactly(o, 0.05), 20), verdict.Worse, none},
		{"exact and better", many(exactly(o, -0.05), 20), verdict.Better, none},
		{"exact, within the margin", many(exactly(o, 0.01), 20), verdict.NoWorse, none},
	} {
		c := conclude(o, test.family)
		if c[0].verdict != test.verdict || c[0].cause != test.cause || len(c) != len(test.family) {
			t.Errorf("%s: %s (%d), want %s (%d)", test.name, c[0].verdict, c[0].cause,
				test.verdict, test.cause)
		}
		for i, other := range c[1:] {
			if other.verdict != verdict.NoWorse {
				t.Errorf("%s: %s of calm evidence %d", test.name, other.verdict, i+1)
			}
		}
	}
	// Exact evidence does not count in the family: it takes nothing from the tests beside it.
	if c := conclude(o, []Evidence{p(0.05), exactly(o, 0.05),
		exactly(o, 0)}); c[0].verdict != verdict.Worse || c[0].family != 1 {
		t.Errorf("beside exact evidence: %+v", c[0])
	}
	if c := conclude(o, nil); len(c) != 0 {
		t.Errorf("of nothing: %+v", c)
	}
}

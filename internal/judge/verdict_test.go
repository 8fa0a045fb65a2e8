package judge

import (
	"math"
	"testing"
)

// What a conclusion is made of, from evidence that is put together by hand.
func TestConclude(t *testing.T) {
	o := Defaults()
	calm := Evidence{Test: BySignedRank, Change: 0, Low: -0.01, High: 0.01, PWorse: 0.9, PBetter: 0.9, LeastP: LeastP(20), n: 20}
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
		verdict Verdict
		cause   Cause
	}{
		{"calm", many(calm, 1), NoWorse, None},
		{"significant", many(p(0.05), 1), Worse, None},
		{"not quite", many(p(0.0501), 1), NoWorse, None},
		{"significant among 20", many(p(0.0025), 20), Worse, None},
		{"not quite, among 20", many(p(0.00251), 20), NoWorse, None},
		{"better", many(with(func(e *Evidence) { e.PBetter = 0.01 }), 1), Better, None},
		{"too few", many(with(func(e *Evidence) { e.LeastP = LeastP(5) }), 1), Inconclusive, TooFew},
		{"too few, whatever they say", many(with(func(e *Evidence) { e.LeastP, e.PWorse = LeastP(5), 0 }), 1), Inconclusive, TooFew},
		{"enough", many(with(func(e *Evidence) { e.LeastP = LeastP(6) }), 1), NoWorse, None},
		{"too few among 20", many(with(func(e *Evidence) { e.LeastP = LeastP(8) }), 20), Inconclusive, TooFew},
		{"enough among 20", many(with(func(e *Evidence) { e.LeastP = LeastP(9) }), 20), NoWorse, None},
		{"below the promise", many(with(func(e *Evidence) { e.High = math.Log(1.0999) }), 1), NoWorse, None},
		{"up to the promise", many(with(func(e *Evidence) { e.High = math.Log1p(0.1) }), 1), Inconclusive, NotRuledOut},
		{"not bounded", many(with(func(e *Evidence) { e.High = math.Inf(1) }), 1), Inconclusive, NotRuledOut},
		{"from zero", many(with(func(e *Evidence) { e.Appeared = true }), 1), Inconclusive, Appearance},
		{"exact and worse", many(Exactly(o, 0.05), 20), Worse, None},
		{"exact and better", many(Exactly(o, -0.05), 20), Better, None},
		{"exact, within the margin", many(Exactly(o, 0.01), 20), NoWorse, None},
	} {
		c := Conclude(o, test.family)
		if c[0].Verdict != test.verdict || c[0].Cause != test.cause || len(c) != len(test.family) {
			t.Errorf("%s: %s (%d), want %s (%d)", test.name, c[0].Verdict, c[0].Cause, test.verdict, test.cause)
		}
		for i, other := range c[1:] {
			if other.Verdict != NoWorse {
				t.Errorf("%s: %s of calm evidence %d", test.name, other.Verdict, i+1)
			}
		}
	}
	// Exact evidence does not count in the family: it takes nothing from the tests beside it.
	if c := Conclude(o, []Evidence{p(0.05), Exactly(o, 0.05), Exactly(o, 0)}); c[0].Verdict != Worse || c[0].Family != 1 {
		t.Errorf("beside exact evidence: %+v", c[0])
	}
	if c := Conclude(o, nil); len(c) != 0 {
		t.Errorf("of nothing: %+v", c)
	}
}

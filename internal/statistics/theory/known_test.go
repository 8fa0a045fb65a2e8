package theory

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// testdata/known.json holds values computed independently of this package, by other methods and
// other code: Crommelin's linear equations and Spitzer's identity for constant service times, and
// for hyperexponential ones the Laplace transforms of wait and response inverted numerically (Abate
// and Whitt's Euler method), all checked against event simulation. Times are in units of E[S]. Some
// sections print seven significant digits, others all.

// inverted bounds the error, as a probability, of the inverted transforms: that method stops at
// about eight digits. The closed form of M/H2/1 (TestOneSlotClosedForm) and the values of
// exact_test.go say that this package's error is far below.
const inverted = 1e-9

// sevenDigits is half a unit of the seventh significant digit.
func sevenDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 0.5 * math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-6)
}

// allDigits is for values printed in full, which differ between the two methods of their source by
// up to 2e−11.
func allDigits(v float64) float64 { return 1e-11 + 1e-10*math.Abs(v) }

// A check compares computed values with known ones and keeps the worst for the log.
type check struct {
	t     *testing.T
	worst map[string]*tally
}

type tally struct {
	count          int
	relative, prob float64
}

func newCheck(t *testing.T) *check {
	c := &check{t, map[string]*tally{}}
	t.Cleanup(func() {
		for what, w := range c.worst {
			t.Logf("%-14s %4d values, worst relative error %.1e, as a probability %.1e", what,
				w.count, w.relative, w.prob)
		}
	})
	return c
}

func (c *check) tally(what string, got, want float64) *tally {
	if c.worst[what] == nil {
		c.worst[what] = &tally{}
	}
	w := c.worst[what]
	w.count++
	if want != 0 {
		w.relative = max(w.relative, math.Abs(got/want-1))
	}
	return w
}

// value compares a number with a known one that is off by at most tolerance.
func (c *check) value(what string, row any, got, want, tolerance float64) {
	c.t.Helper()
	c.tally(what, got, want)
	if !(math.Abs(got-want) <= tolerance+1e-13*math.Abs(want)) {
		c.t.Errorf("%s at %v: got %.12g, known %.12g", what, row, got, want)
	}
}

// quantile compares quantile q with a known one, off by at most tolerance in time and slack in
// probability.
func (c *check) quantile(
	what string, row any, of, tail func(float64) (float64, bool), q, want, tolerance, slack float64,
) {
	c.t.Helper()
	got, ok := of(q)
	if !ok {
		return // M/G/1 by its moments
	}
	w := c.tally(what, got, want)
	at, _ := tail(want)
	if want > 1+2*tolerance { // constant service times make a jump at 1
		w.prob = max(w.prob, math.Abs(at-(1-q)))
	}
	before, _ := tail(want - tolerance)
	after, _ := tail(want + tolerance)
	slack += 1e-13
	if want-tolerance > 0 && before < 1-q-slack || after > 1-q+slack {
		c.t.Errorf("%s %v at %v: got %.12g, known %.12g", what, q, row, got, want)
	}
}

// slack is what the method behind a known quantile is off by.
func slack(c2 float64) float64 {
	if c2 > 1 {
		return inverted
	}
	return 0
}

// rows calls f with each row of a section of known.json.
func rows(t *testing.T, section string, f func(row map[string]float64)) {
	t.Helper()
	data, err := os.ReadFile("testdata/known.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Columns []string
		Rows    [][]float64
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all[section].Rows) == 0 {
		t.Fatalf("known.json has no %s", section)
	}
	for _, r := range all[section].Rows {
		row := map[string]float64{}
		for i, name := range all[section].Columns {
			row[name] = r[i]
		}
		f(row)
	}
}

// must passes a result on and fails the test on an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// solve is the queue M/G/k of the tables: C² = 0 is constant, 1 exponential, above 1 the balanced
// hyperexponential, and for what is between, one slot only, the moments decide.
func solve(t testing.TB, k int, c2, rho float64) *Answer {
	t.Helper()
	p := Pool{Rate: rho * float64(k), MeanService: 1, Limit: k}
	switch {
	case c2 == 0:
		return must(MDk(p))(t)
	case c2 == 1:
		return must(MMk(p))(t)
	case c2 > 1:
		return must(MH2k(p.Rate, must(BalancedH2(1, c2))(t), k))(t)
	}
	return must(MG1(p, c2))(t)
}

package theory

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// testdata/known.json contains values of other methods and code, checked by event simulation:
// Crommelin's equations and Spitzer's identity for constant service times, inverted Laplace
// transforms (Abate and Whitt's Euler method) for hyperexponential ones. Times are in units of
// E[S]. Some sections have seven significant digits, others all.

// inverted bounds the error of inverted transforms, as a probability. This package is far more
// accurate, see TestOneSlotClosedForm and exact_test.go.
const inverted = 1e-9

func sevenDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 0.5 * math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-6)
}

// allDigits returns the tolerance for all digits. The two methods differ by up to 2e−11.
func allDigits(v float64) float64 { return 1e-11 + 1e-10*math.Abs(v) }

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

func (c *check) value(what string, row any, got, want, tolerance float64) {
	c.t.Helper()
	c.tally(what, got, want)
	if !(math.Abs(got-want) <= tolerance+1e-13*math.Abs(want)) {
		c.t.Errorf("%s at %v: got %.12g, known %.12g", what, row, got, want)
	}
}

// quantile compares quantiles. The known one has an error of up to tolerance in time and slack in
// probability.
func (c *check) quantile(
	what string, row any, of, tail func(float64) (float64, bool), q, want, tolerance, slack float64,
) {
	c.t.Helper()
	got, ok := of(q)
	if !ok {
		return
	}
	w := c.tally(what, got, want)
	at, _ := tail(want)
	if want > 1+2*tolerance {
		w.prob = max(w.prob, math.Abs(at-(1-q)))
	}
	before, _ := tail(want - tolerance)
	after, _ := tail(want + tolerance)
	slack += 1e-13
	if want-tolerance > 0 && before < 1-q-slack || after > 1-q+slack {
		c.t.Errorf("%s %v at %v: got %.12g, known %.12g", what, q, row, got, want)
	}
}

func slack(c2 float64) float64 {
	if c2 > 1 {
		return inverted
	}
	return 0
}

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

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// solve returns the answer for M/G/k with constant (C² = 0), exponential (1) or balanced
// hyperexponential (above 1) service. Between 0 and 1 it uses M/G/1, so k must be 1.
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

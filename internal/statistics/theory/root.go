package theory

import "math"

// root returns the zero of f between lo and hi, where f has different signs, to a relative error of
// 4ε. Chandrupatla's method is never slower than bisection, and typically needs eight evaluations.
//
// Source: T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a
// nonlinear function without using derivatives", Advances in Engineering Software 28 (1997).
func root(f func(float64) float64, lo, hi float64) float64 {
	a, b := hi, lo
	fa, fb := f(a), f(b)
	c, fc := a, fa
	t := 0.5
	for {
		x := a + t*(b-a)
		fx := f(x)
		if math.Signbit(fx) == math.Signbit(fa) {
			c, fc = a, fa
		} else {
			c, b, fc, fb = b, a, fb, fa
		}
		a, fa = x, fx

		best, fbest := a, fa
		if math.Abs(fb) < math.Abs(fa) {
			best, fbest = b, fb
		}
		tol := 2 * epsilon * math.Abs(best)
		width := math.Abs(b - c)
		least := tol / width
		if fbest == 0 || least > 0.5 || width == 0 {
			return best
		}
		xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		} else {
			t = 0.5
		}
		t = min(1-least, max(least, t))
	}
}

const epsilon = 0x1p-52

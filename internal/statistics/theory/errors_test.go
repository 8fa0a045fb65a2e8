package theory

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestUnstable(t *testing.T) {
	h := H2{0.5, 0.5, 1.5}
	for _, c := range []struct {
		rho  float64
		text string
	}{{1, "unstable: utilisation 1"}, {1.2, "unstable: utilisation 1.2"},
		{1.15942, "unstable: utilisation 1.159"}} {
		for name, try := range map[string]func() (*Answer, error){
			"MMk":  func() (*Answer, error) { return MMk(Pool{4 * c.rho, 1, 4}) },
			"MDk":  func() (*Answer, error) { return MDk(Pool{4 * c.rho, 1, 4}) },
			"MG1":  func() (*Answer, error) { return MG1(Pool{c.rho, 1, 1}, 2) },
			"MH2k": func() (*Answer, error) { return MH2k(4*c.rho, h, 4) },
		} {
			a, err := try()
			var unstable *UnstableError
			if a != nil || !errors.As(err, &unstable) || unstable.Utilisation != c.rho ||
				err.Error() != c.text {
				t.Errorf("%s at %v: %v, %v", name, c.rho, a, err)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	answer := func(_ *Answer, err error) error { return err }
	for want, err := range map[string]error{
		"rate must be positive and finite, got 0": answer(MMk(Pool{0, 1, 4})),
		"rate must be positive and finite, got NaN": answer(
			MDk(Pool{nan, 1, 4})),
		"mean service time must be positive and finite, got -1": answer(
			MMkK(Pool{1, -1, 4}, 1)),
		"mean service time must be positive and finite, got +Inf": answer(
			MGkk(Pool{1, inf, 4})),
		"offered load must be positive and finite, got +Inf": answer(
			MGInf(Pool{1e200, 1e200, 0})),
		"limit must be at least 1, got 0": answer(MMk(Pool{1, 1, 0})),
		"queue must be at least 0, got -1": answer(
			MMkK(Pool{1, 1, 1}, -1)),
		"M/G/1 needs limit 1, got 4: no exact value": answer(
			MG1(Pool{1, 1, 4}, 2)),
		"M/G/1 needs a finite C² of at least 0, got +Inf": answer(
			MG1(Pool{0.5, 1, 1}, inf)),
		"M/G/1 needs a finite C² of at least 0, got -1": answer(
			MG1(Pool{0.5, 1, 1}, -1)),
		"probability of a branch must be above 0 and below 1, got 1": answer(MH2k(1,
			H2{1, 1, 1}, 4)),
		"mean of branch 1 must be positive and finite, got 0": answer(MH2k(1,
			H2{0.5, 0, 1}, 4)),
		"mean of branch 2 must be positive and finite, got NaN": answer(MH2k(1,
			H2{0.5, 1, nan}, 4)),
		"M/H2/k accepts limits up to 128, got 129": answer(MH2k(1,
			H2{0.5, 1, 1}, 129)),
		"clients must be at least 1, got 0": answer(
			MMkN(Closed{0, 1, 1, 1})),
		"limit must be at least 1, got -2": answer(
			MMkN(Closed{1, 1, 1, -2})),
		"mean think time must be finite and at least 0, got -1": answer(
			MMkN(Closed{1, -1, 1, 1})),
		"finite C² of at least 1, got 0.25":                    second(BalancedH2(1, 0.25)),
		"mean service time must be positive and finite, got 0": second(BalancedH2(0, 2)),
		"a batch needs a task and a limit of at least 1, got 0 and 1": second(
			BatchMakespan(0, 1, 1)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "theory: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestQuantileOutsidePanics(t *testing.T) {
	a := solve(t, 4, 1, 0.8)
	for _, q := range []float64{-0.1, 1, 1.5, math.NaN()} {
		for name, f := range map[string]func(){
			"wait":     func() { a.WaitQuantile(q) },
			"response": func() { a.ResponseQuantile(q) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s quantile %v did not panic", name, q)
					}
				}()
				f()
			}()
		}
	}
}

func TestTooCloseToOne(t *testing.T) {
	_, err := MDk(Pool{3.9999, 1, 4})
	wantError(t, err, "theory: M/D/k: utilisation 0.999975 is too close to 1 for an exact value")
	_, err = MH2k(4*(1-1e-9), H2{0.1, 5, 5.0 / 9}, 4)
	wantError(t, err,
		"theory: M/H2/k: utilisation 0.999999999 is too close to 1 for an exact value")
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Errorf("got error %v, want %s", err, text)
	}
}

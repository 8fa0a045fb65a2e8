package targets

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestFraction(t *testing.T) {
	rates := []float64{1, 0.1, 1e9, 999999999.999999, 1.0 / 1024, 5e-7, 1e-6, 0.1234375, 1e-19,
		1e-20, 1e-300, math.SmallestNonzeroFloat64, math.Pi}
	r := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		rates = append(rates, math.Ldexp(r.Float64(), r.IntN(60)-30),
			float64(r.IntN(1e9))/math.Pow10(r.IntN(7)))
	}
	for _, x := range rates {
		if !(x > 0 && x <= 1e9) {
			continue
		}
		want, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		num, denom := fraction(x)
		if denom == 0 {
			if want.Denom().IsUint64() && want.Denom().Uint64() <= 1e6 {
				t.Errorf("%v has no fraction, want %v", x, want)
			}
			continue
		}
		if !want.Num().IsUint64() || !want.Denom().IsUint64() || num != want.Num().Uint64() ||
			denom != want.Denom().Uint64() {
			t.Errorf("%v is %d/%d, want %v", x, num, denom, want)
		}
	}
}

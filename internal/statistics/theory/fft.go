package theory

import (
	"math"
	"math/bits"
)

// A fourier transform has one length, a power of two. Radix 2 with a sine table is fast enough for
// the few thousand points of MDk. The error grows as ε·log n.
type fourier []complex128 // e^{−2πij/n} for j < n/2

func newFourier(n int) fourier {
	f := make(fourier, n/2)
	for j := range f {
		s, c := math.Sincos(2 * math.Pi * float64(j) / float64(n))
		f[j] = complex(c, -s)
	}
	return f
}

// transform replaces x by Σ_j x_j e^{−2πijm/n} for m < n.
func (f fourier) transform(x []complex128) {
	n := len(x)
	shift := bits.UintSize - bits.Len(uint(n-1))
	for i := range x {
		if j := int(bits.Reverse(uint(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for half := 1; half < n; half *= 2 {
		stride := len(f) / half
		for start := 0; start < n; start += 2 * half {
			lo, hi := x[start:start+half], x[start+half:start+2*half]
			for j := range lo {
				odd := hi[j] * f[j*stride]
				lo[j], hi[j] = lo[j]+odd, lo[j]-odd
			}
		}
	}
}

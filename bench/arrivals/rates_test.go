package arrivals_test

import (
	"math"
	"testing"
)

// Task n must be due when the integral of the rate is n+1, within 1 ns.
func TestLinear(t *testing.T) {
	for _, slope := range []string{"0", "0.001", "50", "1e6"} {
		a := map[string]float64{"0": 0, "0.001": 0.001, "50": 50, "1e6": 1e6}[slope]
		const b = 10.0
		for n, due := range firstDue(t, "linear:slope="+slope, b, 0, 10_000) {
			s := due.Seconds()
			if area := b*s + a*s*s/2; math.Abs(area-float64(n+1)) > 2e-9*(b+a*s)+1e-9*area {
				t.Fatalf("slope %s: task %d is due at %v, when %v should have come",
					slope, n, due, area)
			}
		}
	}
}

func TestSine(t *testing.T) {
	for _, text := range []string{"sine", "sine:amp=0", "sine:amp=0.999,period=100ms",
		"sine:period=1ms,phase=0.75", "sine:period=1h,phase=0.25,amp=0.9"} {
		v := variant(t, text).Values
		const m = 200.0
		turn, offset, amp := 2*math.Pi/v.Duration("period").Seconds(),
			2*math.Pi*v.Float("phase"), v.Float("amp")
		for n, due := range firstDue(t, text, m, 0, 10_000) {
			s := due.Seconds()
			area := m * (s + amp/turn*(math.Cos(offset)-math.Cos(offset+turn*s)))
			if math.Abs(area-float64(n+1)) > 2e-9*2*m {
				t.Fatalf("%s: task %d is due at %v, when %v should have come", text, n, due, area)
			}
		}
	}
}

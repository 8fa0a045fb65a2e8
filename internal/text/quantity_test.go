package text

import (
	"math"
	"testing"
	"time"
)

// A rounded share must not look like 0 or 1.
func TestQuantities(t *testing.T) {
	for got, want := range map[string]string{
		Seconds(0): "0 s", Seconds(1): "1.00 s", Seconds(0.9999): "1.00 s",
		Seconds(0.0689): "68.9 ms", Seconds(1e-3): "1.00 ms", Seconds(9.999e-3): "10.0 ms",
		Seconds(750e-9): "750 ns", Seconds(5e-6): "5.00 µs", Seconds(638.4): "638 s",

		Seconds(3599): "3599 s", Seconds(3600): "1.00 h", Seconds(5400): "1.50 h",
		Seconds(200_000): "2.31 d", Seconds(0.99961): "1.00 s", Seconds(-0.25): "−250 ms",
		Seconds(12345): "3.43 h", Seconds(1033366): "12.0 d",
		Share(0): "0 %", Share(1): "100 %", Share(0.5): "50.0 %", Share(0.0001): "0.0100 %",
		Share(0.99999): ">99.9 %", Share(0.09999): "10.0 %", Share(4e-6): "0.000400 %",
		Share(0.0043):     "0.430 %",
		WholeShare(0.999): ">99 %", WholeShare(0.001): "<1 %", WholeShare(0.284): "28 %",
		WholeShare(1):      "100 %",
		ShortSeconds(0.01): "10 ms", ShortSeconds(931): "931 s", ShortSeconds(2000): "2000 s",
		Duration(time.Hour): "1 h", ShortShare(0.4687): "46.9 %", ShortShare(-0.00443): "−0.443 %",
		ShortShare(0.9996): ">99.9 %", ShortShare(0.5): "50 %", Short(1): "1", Short(1250): "1250",
		Short(100): "100", Factor(3.04): "3.0", Factor(9.96): "10", Factor(633.2): "633",
		Rate(1885.2): "1885 /s", Rate(77.89): "77.9 /s",
		Rounded(269_500): "270,000", Rounded(999_600): "1 million", Rounded(1.24e6): "1.2 million",
		Rounded(951e6): "950 million", Rounded(953): "950",
		Roughly(0): "1 s", Roughly(79.6e9): "1 min 20 s", Roughly(59.7e9): "1 min 0 s",
		Roughly(7500e9): "2 h 5 min", Roughly(273600e9): "3 d 4 h",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSpellMetric(t *testing.T) {
	for unit, want := range map[string]string{
		"p99-response-sec": "500 ms", "cpu-sec/op": "500 ms", "ops/s": "0.500 /s",
		"goodput-ops/s": "0.500 /s", "shed/op": "50.0 %",
		"attempts/op": "0.500", "B/op": "0.500 B", "offered-utilisation": "50.0 %", "cpu-wait": "50.0 %",
		"peak-inflight": "0.500", "max-heap-B": "0.500 B", "heap-B/inflight": "0.500 B",
		"gc-cpu": "50.0 %", "page-faults/op": "0.500", "involuntary-switches/op": "0.500",
		"step2-buy-failed/op": "50.0 %", "theory-waited/op": "50.0 %", "tail-even-turn/op": "50.0 %",
		"seen-full/op": "50.0 %", "found-3-long/op": "50.0 %", "cpu-steal": "50.0 %",
		// other benchmarks
		"sec/op": "500 ms", "sec/item": "500 ms", "p99-sec": "500 ms", "allocs/op": "0.500",
		"instructions/op": "0.500", "cpu-cycles/op": "0.500", "B": "0.500 B",
	} {
		if got := Metric(unit, 0.5); got != want {
			t.Errorf("0.5 %s: %q, want %q", unit, got, want)
		}
	}
}

func TestGiven(t *testing.T) {
	for want, c := range map[string]struct {
		unit string
		v    float64
	}{"60 ms": {"p99-response-sec", 0.06}, "1.5 s": {"mean-wait-sec", 1.5}, "1 %": {"shed/op", 0.01},
		"500 /s": {"goodput-ops/s", 500}, "0 %": {"shed/op", 0}, "4": {"peak-inflight", 4}} {
		if got := Trimmed(c.unit, c.v); got != want {
			t.Errorf("%v %s: %q, want %q", c.v, c.unit, got, want)
		}
	}
}

func TestUncertain(t *testing.T) {
	for share, want := range map[float64]string{0: "240 ms", 0.26: "≈240 ms", 1: "≈240 ms",
		1.01: "–", math.Inf(1): "–"} {
		if got := Uncertain("p99-response-sec", 0.24, share); got != want {
			t.Errorf("±%v: %q, want %q", share, got, want)
		}
	}
}

func TestChange(t *testing.T) {
	for ratio, want := range map[float64]string{1: "+0.00 %", 1.263: "+26.3 %", 0.5: "−50.0 %",
		12.5: "×12.5", math.Inf(1): "from 0", 0: "−100 %", 1.0009: "+0.09 %"} {
		if got := Change(ratio); got != want {
			t.Errorf("%v: %q, want %q", ratio, got, want)
		}
	}
	if got := Metric("B/s", 512e6); got != "512 MB/s" {
		t.Errorf("a throughput is %q", got)
	}
}

package evidence

import (
	"math"
	"testing"
)

func TestIntervalsInWords(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		in                     Interval
		plain, percents, share string
	}{
		{Interval{0.1274, 0.119, 0.135}, "0.127 (0.119 to 0.135)", "12.7 % (11.9 to 13.5 %)",
			"12.7 % (11.9 to 13.5 %)"},
		{Interval{0, 0, 0}, "0", "0 %", "0 %"},
		{Interval{1, 1, 1}, "1", "100 %", "100 %"},
		{Interval{0.5001, 0.5, 0.5002}, "0.5", "50 %", "50 %"}, // as narrow as the digits
		{Interval{0.7, nan, nan}, "0.7", "70 %", "70 %"},       // a single repetition
		{Interval{0.001, -0.02, 0.022}, "0.001 (−0.02 to 0.022)", "0.1 % (−2 to 2.2 %)",
			"0.1 % (0 to 2.2 %)"},
		{Interval{0.329, 0.0003, 0.9}, "too uncertain", "32.9 % (0.03 to 90 %)",
			"32.9 % (0.03 to 90 %)"},
		{Interval{0.95, 0.8, 1.1}, "0.95 (0.8 to 1.1)", "95 % (80 to 110 %)",
			"95 % (80 to 100 %)"},
	} {
		if got := c.in.String(); got != c.plain {
			t.Errorf("%+v is %q, want %q", c.in, got, c.plain)
		}
		if got := c.in.Percents(); got != c.percents {
			t.Errorf("%+v is %q, want %q", c.in, got, c.percents)
		}
		if got := c.in.Share(); got != c.share {
			t.Errorf("%+v is a share of %q, want %q", c.in, got, c.share)
		}
	}
}

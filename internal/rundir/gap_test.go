package rundir

import (
	"slices"
	"testing"
	"time"
)

func TestGaps(t *testing.T) {
	all := []Gap{
		{1, 14_433_219_345_123 * time.Nanosecond, 14_544 * time.Second},
		{120, 217_400 * time.Millisecond, 219_600 * time.Millisecond},
		{3, 1234 * time.Nanosecond, 2 * time.Microsecond},
		{0, time.Second, time.Second},
	}
	text := "missing are " + all[0].String() + ", " + all[1].String() + ", " + all[2].String() +
		", " + all[3].String() + "; and after the gap: more"
	if want := "missing are 1 task due from 4h0m33s to 4h2m24s, 120 tasks due from 3m37.4s to " +
		"3m39.6s, 3 tasks due from 1.234µs to 2µs, 0 tasks due from 1s to 1s; and after the " +
		"gap: more"; text != want {
		t.Errorf("%q", text)
	}
	read := ParseGaps(text)
	if len(read) != len(all) || len(ParseGaps("none")) > 0 {
		t.Fatalf("%v", read)
	}
	for i, g := range all {
		var in, again []int
		length := max(g.To-g.From, 1)
		for w := range 3 { // window 0 ends at the start of the gap, window 2 starts at its end
			start := g.From + time.Duration(w-1)*length
			if g.Overlaps(start, length) {
				in = append(in, w)
			}
			if read[i].Overlaps(start, length) {
				again = append(again, w)
			}
		}
		if want := []int{1}; g.Tasks > 0 && !slices.Equal(in, want) || !slices.Equal(in, again) {
			t.Errorf("%v is in windows %v, and %v as it is read", g, in, again)
		}
	}
}

package arrivals_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTrace(t *testing.T) {
	const of = "trace:file=testdata/trace.csv,column=start"
	for text, want := range map[string][]time.Duration{
		of:                       {0, 250_000_001, 250_000_002, 250_000_002, 2_000_000_001},
		of + ",from=09:00":       {250_000_000, 250_000_001, 250_000_001, 2_000_000_000},
		of + ",from=1s":          {1_000_000_001},
		of + ",to=09:00:01":      {0, 250_000_001, 250_000_002, 250_000_002},
		of + ",speed=2":          {0, 125_000_001, 125_000_001, 125_000_001, 1_000_000_001},
		of + ",duration=service": {0, 250_000_001, 250_000_002, 250_000_002, 2_000_000_001},
		// the starts are 8:59:59.998499999, 9:00:00.23, .246000001, .247000001 and 9:00:01.995
		of + ",duration=service,at=end": {0, 231_500_001, 247_500_002, 248_500_002, 1_996_500_001},
	} {
		v := variant(t, text)
		if v.Tasks() != len(want) || v.TakesRate() {
			t.Errorf("%s: %d tasks, want %d; takes a rate: %v", text, v.Tasks(), len(want),
				v.TakesRate())
			continue
		}
		if got := firstDue(t, text, 0, 1, len(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if c := v.CheckPlan(0, len(want)+1, 0, 1e8); len(c) != 1 ||
			!strings.Contains(c[0].Error(), fmt.Sprintf("has %d tasks", len(want))) {
			t.Errorf("%s: more tasks than it has: %v", text, c)
		}
	}
}

// Each record must have ⌊scale⌋ tasks or one more. The total must be exact for every seed.
func TestTraceScale(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	var b strings.Builder
	const n = 2000
	for i := range n {
		fmt.Fprintln(&b, i*i) // increasing gaps
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for scale, want := range map[string]int{"0.5": 1000, "1.5": 3000, "3": 6000, "2.25": 4500} {
		text := "trace:file=" + file + ",scale=" + scale
		if got := variant(t, text).Tasks(); got != want {
			t.Errorf("scale %s: %d tasks, want %d", scale, got, want)
		}
		one, again := firstDue(t, text, 0, 1, want), firstDue(t, text, 0, 1, want)
		if !slices.Equal(one, again) || !slices.IsSorted(one) {
			t.Errorf("scale %s: not a function of the seed, or not in order", scale)
		}
		if scale != "3" && slices.Equal(one, firstDue(t, text, 0, 2, want)) {
			t.Errorf("scale %s: two seeds have the same plan", scale)
		}
		// A random half of 2000 records has 500 ± 11.2 in the first half of the file. The tolerance
		// is 5 standard deviations.
		half, _ := slices.BinarySearch(one, time.Duration(n/2)*time.Duration(n/2)*time.Second)
		if half < want/2-56 || half > want/2+56 {
			t.Errorf("scale %s: %d of %d tasks in the first half of the records", scale, half, want)
		}
		for i := range n {
			from := time.Duration(i*i) * time.Second
			lo, _ := slices.BinarySearch(one, from)
			hi, _ := slices.BinarySearch(one, from+time.Duration(2*i+1)*time.Second)
			whole := want / n
			if got := hi - lo; got < whole || got > whole+1 {
				t.Fatalf("scale %s: %d tasks of record %d", scale, got, i)
			}
		}
	}
}

package measure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func parsed(t *testing.T, line string) reading {
	t.Helper()
	found, _, err := read([]byte(line + "\n"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q: %v, %v", line, found, err)
	}
	return found[0]
}

// Times and rates use the faster half of the parts, counts use all parts.
func TestCombineParts(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"BenchmarkA\t5\t3 ns/op 1 own"}, "5 [3 ns/op 1 own]"},
		{[]string{"BenchmarkA\t5\t30 ns/op 66.66666666666667 MB/s 16 B/op 2 allocs/op",
			"BenchmarkA\t5\t10 ns/op 200 MB/s 8 B/op 1 allocs/op"},
			"10 [10 ns/op 200 MB/s 8 B/op 1 allocs/op]"},
		{[]string{"BenchmarkA\t5\t90 ns/op 4 B/op", "BenchmarkA\t5\t10 ns/op 4 B/op",
			"BenchmarkA\t5\t40 ns/op 8 B/op", "BenchmarkA\t5\t30 ns/op 8 B/op"},
			"20 [20 ns/op 4 B/op]"},
		{[]string{"BenchmarkA\t5\t30 ns/op 50 MB/s", "BenchmarkA\t5\t10 ns/op 150 MB/s",
			"BenchmarkA\t5\t60 ns/op 25 MB/s"}, "15 [20 ns/op 75 MB/s]"},
		{[]string{"BenchmarkA\t5\t0 ns/op", "BenchmarkA\t5\t1 ns/op"}, "10 [0 ns/op]"},
		{[]string{"BenchmarkA\t5\t2 allocs/op", "BenchmarkA\t5\t1 allocs/op"},
			"10 [1 allocs/op]"},
		{[]string{"BenchmarkA\t5\t9 allocs/op", "BenchmarkA\t5\t1 allocs/op",
			"BenchmarkA\t5\t2 allocs/op"}, "15 [2 allocs/op]"},
		{[]string{"BenchmarkA\t5\t1 ns/op 100 instructions/op",
			"BenchmarkA\t5\t3 ns/op 300 instructions/op"}, "10 [1 ns/op 200 instructions/op]"},
		{[]string{"BenchmarkA\t5\t1 ns/op 100 instructions/op", "BenchmarkA\t5\t3 ns/op"},
			"10 [1 ns/op]"},
		{[]string{"BenchmarkA\t5\t1 ns/op", "BenchmarkA\t5\t1 ns/op",
			"BenchmarkA\t5\t3 ns/op 4 own"}, "it reports own in 1 of 3 parts of a run"},
	} {
		var parts []reading
		for _, line := range c.parts {
			parts = append(parts, parsed(t, line))
		}
		whole, err := combineParts(parts)
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%q: %v, want %s", c.parts, err, c.want)
			}
			continue
		}
		var values []string
		for _, v := range whole.values {
			if v.OrigUnit != "" {
				v.Value, v.Unit = v.OrigValue, v.OrigUnit
			}
			values = append(values, fmt.Sprintf("%.12g %s", v.Value, v.Unit))
		}
		if got := fmt.Sprintf("%d [%s]", whole.iters, strings.Join(values, " ")); got != c.want ||
			whole.name != "BenchmarkA" {
			t.Errorf("%q: %s, want %s", c.parts, got, c.want)
		}
		if again := parsed(t,
			fmt.Sprintf("BenchmarkA\t%d\t%s", whole.iters,
				strings.Join(values, " "))); !cmp.Equal(again.tidy, whole.tidy,
			cmpopts.EquateApprox(1e-9, 0)) {
			t.Errorf("%q: %v, and read again %v", c.parts, whole.tidy, again.tidy)
		}
	}
}

func TestSetParts(t *testing.T) {
	for _, c := range []struct {
		iterations               int
		divisible, asked         bool
		wantParts, wantIteration int
	}{
		{8, true, false, 4, 8},
		{7, true, false, 4, 8},
		{9, true, false, 4, 12},
		{3, true, false, 3, 3},
		{1, true, false, 1, 1},
		{8, false, false, 1, 8},
		{8, true, true, 4, 8},
		{9, true, true, 3, 9},
		{10, true, true, 2, 10},
		{7, true, true, 1, 7},
		{7, false, true, 1, 7},
	} {
		b := benchmark{Iterations: c.iterations}
		if b.setParts(c.divisible, c.asked); b.Parts != c.wantParts || b.Iterations != c.wantIteration {
			t.Errorf("%+v: %d parts of %d iterations", c, b.Parts, b.Iterations)
		}
	}
}

// A custom metric may be a quantile, which cannot be averaged over parts.
func TestDivisible(t *testing.T) {
	for line, want := range map[string]bool{
		"BenchmarkA\t5\t10 ns/op":                                true,
		"BenchmarkA\t5\t10 ns/op 2 MB/s 3 B/op 1 allocs/op":      true,
		"BenchmarkA\t5\t10 ns/op 3 p99-ns":                       false,
		"BenchmarkA\t5\t10 ns/op 2 MB/s 3 B/op 1 allocs/op 1 ns": false,
	} {
		if got := parsed(t, line).divisible(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

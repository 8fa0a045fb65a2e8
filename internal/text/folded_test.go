package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// If a row is too wide, its first cells must be on a separate line.
func TestFolded(t *testing.T) {
	var a Columns
	for _, row := range [][]string{{"verdict", "name", "old", "new"},
		{"worse", "a", "1.5", "2"}, {"", strings.Repeat("long ", 5), "10", "2000"}} {
		a.Row()
		for i, cell := range row {
			a.Cell(i, Right, "  ", cell)
		}
	}
	for _, most := range []int{0, a.Width(), 500} {
		if got := a.Folded(2, most); got != a.String() {
			t.Errorf("in %d columns:\n%s", most, got)
		}
	}
	const want = "verdict  name\n  old   new\nworse  a\n  1.5     2\n  long long long\n" +
		"    long long\n   10  2000\n"
	if got := a.Folded(2, 17); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(a.Folded(1, 12)) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 12 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// A column that is too wide must be below the names.
func TestTableOfWideColumns(t *testing.T) {
	var b strings.Builder
	wide := strings.Repeat("w", 30)
	rows := [][]string{{"workload", wide}, {"partitioned", "7 ms"}}
	if err := WriteTable(&b, rows, 40); err != nil {
		t.Fatal(err)
	}
	want := "workload\n" + strings.Repeat(" ", 6) + wide + "\npartitioned\n" +
		strings.Repeat(" ", 32) + "7 ms\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// A table that is slightly too wide must lose its indent. A wider table must be folded.
func TestTableWidth(t *testing.T) {
	rows := [][]string{{"strategy", "p50", "p99"}, {"worker_pool", "≈15.4 ms", "≈53.7 ms"}}
	for most, want := range map[int]string{
		33: "  strategy          p50       p99\n  worker_pool  ≈15.4 ms  ≈53.7 ms\n",
		32: "strategy          p50       p99\nworker_pool  ≈15.4 ms  ≈53.7 ms\n",
		31: "strategy          p50       p99\nworker_pool  ≈15.4 ms  ≈53.7 ms\n",
		30: "  strategy          p50\n  worker_pool  ≈15.4 ms\n\n  strategy          p99\n" +
			"  worker_pool  ≈53.7 ms\n",
	} {
		var b strings.Builder
		if err := WriteTable(&b, rows, most); err != nil || b.String() != want {
			t.Errorf("%d columns: %v\n%s\nwant\n%s", most, err, &b, want)
		}
	}
	for most := 15; most < 40; most++ {
		var b strings.Builder
		if err := WriteTable(&b, rows, most); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most {
				t.Errorf("%d columns for %d: %s", n, most, line)
			}
		}
	}
}

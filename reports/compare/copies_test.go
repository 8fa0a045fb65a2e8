package compare

import (
	"bytes"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// A virtual run that appears in two inputs counts once within a column. In two columns, both copies
// count.
func TestPooledCopies(t *testing.T) {
	text := resultstest.Seeded("1 virtual 3", "2 virtual 4", "3 virtual 5", "4 virtual 6")
	a, b := resultstest.Read(t, "x.txt", text), resultstest.Read(t, "x.txt", text)
	for want, c := range map[int]struct {
		labels [2]string
		opts   Options
	}{
		4: {[2]string{"A", "B"}, Options{}},
		3: {[2]string{"A", "A"}, Options{}},
		2: {[2]string{"A", "B"}, Options{Col: "/strategy"}},
	} {
		got, err := All([]results.Input{{Label: c.labels[0], Results: a},
			{Label: c.labels[1], Results: b}}, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteText(&text, got, 0); err != nil {
			t.Fatal(err)
		}
		left := strings.Contains(text.String(), "4 virtual runs, by name and seed, are already "+
			"in an earlier input")
		if left != (want < 4) || strings.Contains(text.String(), "n=8") {
			t.Errorf("case %d:\n%s", want, text.String())
		}
	}
}

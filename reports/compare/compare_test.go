package compare

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func mustCompare(t *testing.T, old, new *results.Results, opts Options) *Comparison {
	t.Helper()
	c, err := Two(old, new, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareGoldens(t *testing.T) {
	c := mustCompare(t, resultstest.Sample(t, "old.txt"), resultstest.Sample(t, "new.txt"),
		Options{})
	resultstest.Golden(t, "compare.text", func(w io.Writer) error { return WriteText(w, c, 0) })
	resultstest.Golden(t, "compare.md", func(w io.Writer) error { return WriteMarkdown(w, c) })
	resultstest.Golden(t, "compare.csv", func(w io.Writer) error { return WriteCSV(w, c) })
	resultstest.Golden(t, "compare.json", func(w io.Writer) error { return WriteJSON(w, c) })
}

func TestCompareMissing(t *testing.T) {
	old := resultstest.Read(t, "old", "pkg: a\n"+resultstest.Repeat("X", "ns/op", "1", "2")+
		resultstest.Repeat("Y", "ns/op", "1")+"BenchmarkZ 1 1 ns/op 3 B/op\n")
	new := resultstest.Read(t, "new", "pkg: a\n"+resultstest.Repeat("X", "ns/op", "1", "2")+
		resultstest.Repeat("Z", "ns/op", "1")+"pkg: b\n"+resultstest.Repeat("Y", "ns/op", "1"))
	c := mustCompare(t, old, new, Options{})
	want := []Missing{
		{"a.Y", "", "new"},
		{"a.Z", "B/op", "new"},
		{"b.Y", "", "old"},
	}
	if diff := cmp.Diff(want, c.Missing); diff != "" {
		t.Error(diff)
	}
	for _, render := range []func(io.Writer, *Comparison) error{
		func(w io.Writer, c *Comparison) error { return WriteText(w, c, 0) }, WriteMarkdown,
		WriteCSV, WriteJSON} {
		var out strings.Builder
		if err := render(&out, c); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "Y") < 2 {
			t.Errorf("a missing benchmark is not shown:\n%s", &out)
		}
	}
}

func TestCompareVarying(t *testing.T) {
	line := resultstest.Repeat("X", "ns/op", "1", "2")
	old := resultstest.Read(t, "old", "cpu: A\ngoos: linux\n"+line+"warning: a\n"+line+
		"warning: b\n"+line+"warning: c\n"+line+"warning: d\n"+line)
	new := resultstest.Read(t, "new", "cpu: B\ngoos: linux\n"+line)
	c := mustCompare(t, old, new, Options{})
	if diff := cmp.Diff([]results.Pair{{Key: "goos", Value: "linux"}}, c.Config); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"benchmarks vary in cpu: A in old; B in new",
		"benchmarks vary in warning: none, a, b, 2 more in old; none in new",
	}
	if diff := cmp.Diff(want, c.Notes()); diff != "" {
		t.Error(diff)
	}
	if len(c.Tables) != 1 || len(c.Tables[0].Rows) != 1 {
		t.Fatalf("split into %d tables", len(c.Tables))
	}
	cells := c.Tables[0].Rows[0].Cells
	if got := messages(cells[0].Sample.Warnings); len(got) != 1 ||
		got[0] != "benchmarks vary in warning" {
		t.Errorf("the cell that varies within one input has warnings %q", got)
	}
	if got := cells[1].Sample.Warnings; len(got) != 0 {
		t.Errorf("the other has %q", got)
	}
}

func TestCompareDirection(t *testing.T) {
	low, high := []string{"1", "1.1", "1.2", "1.3"}, []string{"2", "2.1", "2.2", "2.3"}
	for _, test := range []struct {
		unit, head string
		old, new   []string
		want       string
	}{
		{"ns/op", "", low, high, "worse"},
		{"ns/op", "", high, low, "better"},
		{"MB/s", "", low, high, "better"},
		{"ops/s", "Unit ops/s better=higher\n", low, high, "better"},
		{"ops/s", "Unit ops/s better=higher\n", high, low, "worse"},
		{"frobs/s", "", high, low, "differs"},
		{"req/s", "", high, low, "worse"},
		{"p99-ns", "", high, low, "better"},
		{"ops/s", "Unit ops/s better=sideways\n", high, low, "differs"},
		{"ns/op", "", low, low, ""},
		{"n", "Unit n better=lower assume=exact\n", []string{"3"}, []string{"4"}, "worse"},
		{"n", "Unit n better=lower assume=exact\n", []string{"3"}, []string{"3"}, ""},
		{"n", "Unit n better=lower\n", []string{"0", "0", "0", "0"},
			[]string{"1", "2", "3", "4"}, "worse"},
	} {
		c := mustCompare(t, resultstest.Read(t, "old",
			test.head+resultstest.Repeat("X", test.unit, test.old...)),
			resultstest.Read(t, "new", resultstest.Repeat("X", test.unit, test.new...)), Options{})
		if got := c.Tables[0].Change(&c.Tables[0].Rows[0], 1); got != test.want {
			t.Errorf("%s, %q, from %v to %v: %q, want %q", test.unit, test.head, test.old,
				test.new, got, test.want)
		}
	}
}

func TestCompareOptions(t *testing.T) {
	old, new := resultstest.Sample(t, "old.txt"), resultstest.Sample(t, "new.txt")
	c := mustCompare(t, old, new,
		Options{Metrics: []string{"p99-response-ns", "shed/op", "p99-response-sec"}})
	if len(c.Tables) != 2 || c.Tables[0].Unit != "p99-response-sec" ||
		c.Tables[1].Unit != "shed/op" {
		t.Errorf("%d tables", len(c.Tables))
	}
	wide := mustCompare(t, old, new,
		Options{Confidence: 0.99, Alpha: 0.2, Metrics: []string{"p99-response-sec"}})
	a, b := c.Tables[0].Rows[0].Cells[1], wide.Tables[0].Rows[0].Cells[1]
	if b.Summary.Hi <= a.Summary.Hi || b.Versus.Alpha != 0.2 || a.Versus.Alpha != 0.05 {
		t.Error("confidence or alpha has no effect")
	}
}

func TestCompareLeavesItsInputsAlone(t *testing.T) {
	old, new := resultstest.Sample(t, "old.txt"), resultstest.Sample(t, "new.txt")
	mustCompare(t, old, new, Options{})
	if diff := cmp.Diff(resultstest.Sample(t, "old.txt").Runs, old.Runs); diff != "" {
		t.Error(diff)
	}
}

func TestCompareTheSameFile(t *testing.T) {
	old := resultstest.Sample(t, "old.txt")
	c := mustCompare(t, old, old, Options{})
	if diff := cmp.Diff([]string{"old.txt#0", "old.txt#1"}, c.Columns); diff != "" {
		t.Error(diff)
	}
	for _, table := range c.Tables {
		for _, row := range table.Rows {
			if p := row.Cells[1].Versus.P; p != 1 {
				t.Errorf("%s of %s against itself: p = %v", table.Unit, row.Name, p)
			}
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	x := resultstest.Repeat("X", "ns/op", "1")
	for _, test := range []struct {
		name, old, new string
		opts           Options
		want           string
	}{
		{"nothing in common", x, resultstest.Repeat("Y", "ns/op", "1"), Options{},
			"old and new have no benchmark in common (for instance, the first has X and the " +
				"second Y)"},
		{"no package in common", "pkg: a\n" + x, x, Options{},
			"old and new have no benchmark in common (for instance, the first has a.X and the " +
				"second X)"},
		{"no metric in common", x, resultstest.Repeat("X", "B/op", "1"), Options{},
			"old and new have no metric of X in common, nor of any other benchmark"},
		{"contradicting units", "Unit a better=lower\n" + x,
			"Unit a better=higher\n" + x, Options{},
			"new has better=higher for a, but old has lower"},
		{"unknown metric", x, x, Options{Metrics: []string{"p99-ns"}},
			"no metric p99-ns in old or new (there are sec/op)"},
		{"alpha", x, x, Options{Alpha: 1}, "alpha 1 and confidence 0.95 must be between 0 and 1"},
		{"confidence", x, x, Options{Confidence: 95},
			"alpha 0.05 and confidence 95 must be between 0 and 1"},
	} {
		_, err := Two(resultstest.Read(t, "old", test.old), resultstest.Read(t, "new", test.new),
			test.opts)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestCompareNotesInputs(t *testing.T) {
	old := resultstest.Read(t, "old", strings.Replace(resultstest.Ours, "# complete 3 runs",
		"# partial 3 of 9 runs: interrupted", 1))
	new := resultstest.Read(t, "new", resultstest.Ours+"BenchmarkX 1 2 ns/op\n")
	want := []string{
		"old has no X",
		"old is incomplete: 3 of 9 runs: interrupted",
		"new is incomplete: cut off after line 11: there is text after the end mark in line 10",
	}
	if diff := cmp.Diff(want, mustCompare(t, old, new, Options{}).Notes()); diff != "" {
		t.Error(diff)
	}
}

func TestCompareEqualValuesUnequalSizes(t *testing.T) {
	c := mustCompare(t, resultstest.Read(t, "old",
		resultstest.Repeat("X", "ns/op", resultstest.Same("5", 7)...)),
		resultstest.Read(t, "new", resultstest.Repeat("X", "ns/op", resultstest.Same("5", 4)...)),
		Options{})
	v := c.Tables[0].Rows[0].Cells[1].Versus
	if got := messages(v.Warnings); v.P != 1 || len(got) != 1 || got[0] != "all samples are equal" {
		t.Errorf("p = %v, warnings %q", v.P, got)
	}
}

// benchmath's warning depends on its own p-value, which is wrong here: the warning would depend on
// the order of the samples.
func TestCompareWarnsOfFewSamples(t *testing.T) {
	few, fewer := resultstest.Read(t, "a", resultstest.Repeat("X", "n", "0", "0", "1")),
		resultstest.Read(t, "b", resultstest.Repeat("X", "n", "0", "1"))
	for _, inputs := range [][2]*results.Results{{few, fewer}, {fewer, few}} {
		v := mustCompare(t, inputs[0], inputs[1], Options{}).Tables[0].Rows[0].Cells[1].Versus
		if got := messages(v.Warnings); v.P != 1 || len(got) != 1 ||
			got[0] != "need >= 4 samples to detect a difference at alpha level 0.05" {
			t.Errorf("p = %v, warnings %q", v.P, got)
		}
	}
}

// Equal exact values have p = 0, but no significant difference.
func TestCompareExactJSON(t *testing.T) {
	unit := "Unit n assume=exact\n"
	for now, want := range map[string]string{"7": `"significant": false`,
		"8": `"significant": true`} {
		c := mustCompare(t, resultstest.Read(t, "old", unit+resultstest.Repeat("A", "n", "7", "7")),
			resultstest.Read(t, "new", unit+resultstest.Repeat("A", "n", now, now)), Options{})
		var text strings.Builder
		if err := WriteJSON(&text, c); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want) {
			t.Errorf("7 and %s: no %s in\n%s", now, want, text.String())
		}
	}
}

func TestLongColumns(t *testing.T) {
	long := strings.Repeat("directory/", 3)
	for _, c := range []struct{ old, new, want string }{
		{long + "old.txt", long + "new.txt",
			"columns: " + long + "old.txt, " + long + "new.txt\n\nsec/op (lower is better)\n" +
				"benchmark  …y/directory/old.txt  …y/directory/new.txt  vs base  p, n\n"},
		{"a/" + long + "x.txt", "b/" + long + "x.txt", "benchmark  a/" + long + "x.txt"},
		{"old", "new", "benchmark          old          new  vs base  p, n\n"},
	} {
		lines := resultstest.Repeat("X", "ns/op", resultstest.Same("5", 6)...)
		var text strings.Builder
		if err := WriteText(&text, mustCompare(t, resultstest.Read(t, c.old, lines),
			resultstest.Read(t, c.new, lines), Options{}), 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), c.want) ||
			strings.Contains(text.String(), "columns:") != strings.Contains(c.want, "columns:") {
			t.Errorf("no %q in\n%s", c.want, text.String())
		}
	}
}

// The headline must not show values that are too uncertain to show in a table.
func TestHeadlineOfUncertainValues(t *testing.T) {
	of := func(name string, factor float64) *results.Results {
		text := "# poolbench results 1\nUnit mean-response-sec better=lower\n"
		for seed := range 6 {
			text += fmt.Sprintf("# seed %d\n# uncertain: mean-response-sec 2\nBenchmarkRun/strategy="+
				"a/clock=virtual 1 %v mean-response-sec\n", seed, factor*(1+float64(seed)/100))
		}
		return resultstest.Read(t, name, text)
	}
	for factor, want := range map[float64]string{
		1.5: "The mean response of a is 50 % higher than before over the pairs; of 1 comparison",
		3:   "The mean response of a is 3.00 times as high as before over the pairs; of 1 comparison",
	} {
		var text strings.Builder
		if err := WriteText(&text, mustCompare(t, of("old", 1), of("new", factor),
			Options{Brief: true}), 0); err != nil {
			t.Fatal(err)
		}
		if said := strings.ReplaceAll(text.String(), "\u00a0", " "); !strings.HasPrefix(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

package reports

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares what write writes with testdata/name.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func readTestdata(t *testing.T, name string) *Results {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Read(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustCompare(t *testing.T, old, new *Results, opts CompareOptions) *Comparison {
	t.Helper()
	c, err := Compare(old, new, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareGoldens(t *testing.T) {
	c := mustCompare(t, readTestdata(t, "old.txt"), readTestdata(t, "new.txt"), CompareOptions{})
	golden(t, "compare.text", func(w io.Writer) error { return WriteText(w, c) })
	golden(t, "compare.md", func(w io.Writer) error { return WriteMarkdown(w, c) })
	golden(t, "compare.csv", func(w io.Writer) error { return WriteCSV(w, c) })
	golden(t, "compare.json", func(w io.Writer) error { return WriteJSON(w, c) })
}

// results reads text as the file of that name.
func results(t *testing.T, path, text string) *Results {
	t.Helper()
	r, err := Read(strings.NewReader(text), path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// repeat is a benchmark line for each value.
func repeat(name, unit string, values ...string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString("Benchmark" + name + " 1 " + v + " " + unit + "\n")
	}
	return b.String()
}

func TestCompareMissing(t *testing.T) {
	old := results(t, "old", "pkg: a\n"+repeat("X", "ns/op", "1", "2")+repeat("Y", "ns/op", "1")+"BenchmarkZ 1 1 ns/op 3 B/op\n")
	new := results(t, "new", "pkg: a\n"+repeat("X", "ns/op", "1", "2")+repeat("Z", "ns/op", "1")+"pkg: b\n"+repeat("Y", "ns/op", "1"))
	c := mustCompare(t, old, new, CompareOptions{})
	want := []Missing{
		{"a.Y", "", "new"},
		{"a.Z", "B/op", "new"},
		{"b.Y", "", "old"},
	}
	if diff := cmp.Diff(want, c.Missing); diff != "" {
		t.Error(diff)
	}
	for _, render := range []func(io.Writer, *Comparison) error{WriteText, WriteMarkdown, WriteCSV, WriteJSON} {
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
	line := repeat("X", "ns/op", "1", "2")
	old := results(t, "old", "cpu: A\ngoos: linux\n"+line+"warning: a\n"+line+"warning: b\n"+line+"warning: c\n"+line+"warning: d\n"+line)
	new := results(t, "new", "cpu: B\ngoos: linux\n"+line)
	c := mustCompare(t, old, new, CompareOptions{})
	if diff := cmp.Diff([]Pair{{"goos", "linux"}}, c.Config); diff != "" {
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
	if got := messages(cells[0].Sample.Warnings); len(got) != 1 || got[0] != "benchmarks vary in warning" {
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
		{"ops/s", "", high, low, "differs"},
		{"ops/s", "Unit ops/s better=sideways\n", high, low, "differs"},
		{"ns/op", "", low, low, ""},
		{"n", "Unit n better=lower assume=exact\n", []string{"3"}, []string{"4"}, "worse"},
		{"n", "Unit n better=lower assume=exact\n", []string{"3"}, []string{"3"}, ""},
		{"n", "Unit n better=lower\n", []string{"0", "0", "0", "0"}, []string{"1", "2", "3", "4"}, "worse"},
	} {
		c := mustCompare(t, results(t, "old", test.head+repeat("X", test.unit, test.old...)), results(t, "new", repeat("X", test.unit, test.new...)), CompareOptions{})
		if got := c.Tables[0].Change(&c.Tables[0].Rows[0], 1); got != test.want {
			t.Errorf("%s, %q, from %v to %v: %q, want %q", test.unit, test.head, test.old, test.new, got, test.want)
		}
	}
}

func TestCompareOptions(t *testing.T) {
	old, new := readTestdata(t, "old.txt"), readTestdata(t, "new.txt")
	c := mustCompare(t, old, new, CompareOptions{Metrics: []string{"p99-response-ns", "shed/op", "p99-response-sec"}})
	if len(c.Tables) != 2 || c.Tables[0].Unit != "p99-response-sec" || c.Tables[1].Unit != "shed/op" {
		t.Errorf("%d tables", len(c.Tables))
	}
	wide := mustCompare(t, old, new, CompareOptions{Confidence: 0.99, Alpha: 0.2, Metrics: []string{"p99-response-sec"}})
	a, b := c.Tables[0].Rows[0].Cells[1], wide.Tables[0].Rows[0].Cells[1]
	if b.Summary.Hi <= a.Summary.Hi || b.Versus.Alpha != 0.2 || a.Versus.Alpha != 0.05 {
		t.Error("confidence or alpha has no effect")
	}
}

func TestCompareLeavesItsInputsAlone(t *testing.T) {
	old, new := readTestdata(t, "old.txt"), readTestdata(t, "new.txt")
	mustCompare(t, old, new, CompareOptions{})
	if diff := cmp.Diff(readTestdata(t, "old.txt").Runs, old.Runs); diff != "" {
		t.Error(diff)
	}
}

func TestCompareTheSameFile(t *testing.T) {
	old := readTestdata(t, "old.txt")
	c := mustCompare(t, old, old, CompareOptions{})
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
	x := repeat("X", "ns/op", "1")
	for _, test := range []struct {
		name, old, new string
		opts           CompareOptions
		want           string
	}{
		{"nothing in common", x, repeat("Y", "ns/op", "1"), CompareOptions{},
			"old and new have no benchmark in common (for instance, the first has X and the second Y)"},
		{"no package in common", "pkg: a\n" + x, x, CompareOptions{},
			"old and new have no benchmark in common (for instance, the first has a.X and the second X)"},
		{"no metric in common", x, repeat("X", "B/op", "1"), CompareOptions{},
			"old and new have no metric of X in common, nor of any other benchmark"},
		{"contradicting units", "Unit a better=lower\n" + x, "Unit a better=higher\n" + x, CompareOptions{},
			"new says better=higher of a, but old says lower"},
		{"unknown metric", x, x, CompareOptions{Metrics: []string{"p99-ns"}}, "no metric p99-ns in old or new (there are sec/op)"},
		{"alpha", x, x, CompareOptions{Alpha: 1}, "alpha 1 and confidence 0.95 must be between 0 and 1"},
		{"confidence", x, x, CompareOptions{Confidence: 95}, "alpha 0.05 and confidence 95 must be between 0 and 1"},
	} {
		_, err := Compare(results(t, "old", test.old), results(t, "new", test.new), test.opts)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestCompareNotesInputs(t *testing.T) {
	old := results(t, "old", strings.Replace(ours, "# complete 3 runs", "# partial 3 of 9 runs: interrupted", 1))
	new := results(t, "new", ours+"BenchmarkX 1 2 ns/op\n")
	want := []string{
		"old has no X",
		"old is not whole: 3 of 9 runs: interrupted",
		"new is not whole: cut off after line 11: there is text after the end mark in line 10",
	}
	if diff := cmp.Diff(want, mustCompare(t, old, new, CompareOptions{}).Notes()); diff != "" {
		t.Error(diff)
	}
}

func TestCompareEqualValuesUnequalSizes(t *testing.T) {
	c := mustCompare(t, results(t, "old", repeat("X", "ns/op", same("5", 7)...)), results(t, "new", repeat("X", "ns/op", same("5", 4)...)), CompareOptions{})
	v := c.Tables[0].Rows[0].Cells[1].Versus
	if got := messages(v.Warnings); v.P != 1 || len(got) != 1 || got[0] != "all samples are equal" {
		t.Errorf("p = %v, warnings %q", v.P, got)
	}
}

// benchmath's warning goes with its own p, which is wrong here: it would be silent in one order and not in the other.
func TestCompareWarnsOfFewSamples(t *testing.T) {
	few, fewer := results(t, "a", repeat("X", "n", "0", "0", "1")), results(t, "b", repeat("X", "n", "0", "1"))
	for _, inputs := range [][2]*Results{{few, fewer}, {fewer, few}} {
		v := mustCompare(t, inputs[0], inputs[1], CompareOptions{}).Tables[0].Rows[0].Cells[1].Versus
		if got := messages(v.Warnings); v.P != 1 || len(got) != 1 || got[0] != "need >= 4 samples to detect a difference at alpha level 0.05" {
			t.Errorf("p = %v, warnings %q", v.P, got)
		}
	}
}

// TestCompareExactJSON: exact values that are equal do not differ significantly, though their p is 0.
func TestCompareExactJSON(t *testing.T) {
	unit := "Unit n assume=exact\n"
	for now, want := range map[string]string{"7": `"significant": false`, "8": `"significant": true`} {
		c := mustCompare(t, results(t, "old", unit+repeat("A", "n", "7", "7")), results(t, "new", unit+repeat("A", "n", now, now)), CompareOptions{})
		var text strings.Builder
		if err := WriteJSON(&text, c); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want) {
			t.Errorf("7 and %s: no %s in\n%s", now, want, text.String())
		}
	}
}

func TestShortNames(t *testing.T) {
	for _, test := range []struct {
		names  []string
		short  []string
		shared string
	}{
		{[]string{"Run/s=a/limit=4/load=0.8"}, []string{"Run/s=a/limit=4/load=0.8"}, ""},
		{[]string{"Run/s=a/limit=4/load=0.8", "Run/s=a/limit=4/load=0.8"}, []string{"Run/s=a/limit=4/load=0.8", "Run/s=a/limit=4/load=0.8"}, ""},
		{[]string{"Run/s=a/limit=4/load=0.8", "Run/s=b/limit=4/load=0.8"}, []string{"Run/s=a", "Run/s=b"}, "limit=4 load=0.8"},
		{[]string{"Run/s=a/limit=4", "Run/s=b/limit=5"}, []string{"Run/s=a/limit=4", "Run/s=b/limit=5"}, ""},
		{[]string{"X/json/s=a-8", "Y/json/s=a-8"}, []string{"X/json-8", "Y/json-8"}, "s=a"},
		{[]string{"X/s=a/s=a", "X/s=a"}, []string{"X/s=a/s=a", "X/s=a"}, ""}, // or they would read alike
	} {
		short, shared := shortNames(test.names)
		for i, name := range test.names {
			if short[name] != test.short[i] {
				t.Errorf("%s of %v: %s, want %s", name, test.names, short[name], test.short[i])
			}
		}
		if shared != test.shared {
			t.Errorf("%v share %q, want %q", test.names, shared, test.shared)
		}
	}
}

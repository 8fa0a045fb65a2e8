package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func twoStrategies() string {
	var b strings.Builder
	b.WriteString("goos: linux\npkg: a\nUnit ops/s better=higher\n")
	for rep := range 6 {
		for i, load := range []string{"0.5", "0.10"} {
			for j, strategy := range []string{"semaphore", "worker_pool"} {
				fmt.Fprintf(&b,
					"seed: %d\nBenchmarkRun/strategy=%s/load=%s 100 %d ns/op %d ops/s\n", rep%2,
					strategy, load, 100*(i+1)+10*j+rep, 1000*(j+1)+rep)
			}
		}
	}
	return b.String()
}

func TestCompareWithinOneFile(t *testing.T) {
	in := []results.Input{{Label: "x", Results: resultstest.Read(t, "x", twoStrategies())}}
	c, err := All(in, Options{Col: "/strategy@(worker_pool semaphore)", Row: ".name /load@num",
		Ignore: "seed", Metrics: []string{"ops/s"}})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := WriteText(&got, c, 0); err != nil {
		t.Fatal(err)
	}
	const want = `The throughput of semaphore, Run 0.10 is 49.9 % lower: 1002 /s, with worker_pool 2002 /s; of 2 comparisons 2 worse

goos: linux

pkg: a, ops/s (higher is better)
benchmark  worker_pool    semaphore  vs base         p, n
Run 0.10   2.002k ± 0%  1.002k ± 0%  -49.94%  worse  p=0.002 n=6
Run 0.5    2.002k ± 0%  1.002k ± 0%  -49.94%  worse  p=0.002 n=6
geomean         2.002k       1.003k  -49.94%
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if diff := cmp.Diff([][]results.Pair{{{Key: "/strategy", Value: "worker_pool"}},
		{{Key: "/strategy", Value: "semaphore"}}}, c.ColumnKeys); diff != "" {
		t.Error(diff)
	}
}

func TestCompareLikeBenchstat(t *testing.T) {
	path, err := benchstat()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	texts := map[string]string{
		"s":     twoStrategies(),
		"old":   read(t, "../testdata/old.txt"),
		"new":   read(t, "../testdata/new.txt"),
		"third": strings.ReplaceAll(twoStrategies(), "strategy=semaphore", "strategy=limiter"),
	}
	for name, text := range texts {
		write(t, filepath.Join(dir, name), text)
	}
	for _, test := range []struct {
		opts  Options
		files []string
	}{
		{Options{}, []string{"s"}},
		{Options{Col: "/strategy"}, []string{"s"}},
		{Options{Col: "/strategy /load"}, []string{"s"}},
		{Options{Col: "/load /strategy", Row: ".name"}, []string{"s"}},
		{Options{Col: "/load@num", Row: "/strategy@alpha", Ignore: "seed"}, []string{"s"}},
		{Options{Col: "/strategy", Table: "/load", Ignore: "goos pkg", Filter: ".unit:ops/s"},
			[]string{"s"}},
		{Options{Col: "/strategy", Filter: "-.unit:ns/op /load:(0.5 OR /1/)"}, []string{"s"}},
		{Options{Col: "/nothing"}, []string{"s"}},
		{Options{Row: ".name", Col: "seed"}, []string{"s"}},
		{Options{Table: " ", Ignore: "goos pkg"}, []string{"s", "third"}},
		{Options{Table: "goos", Ignore: "seed pkg"}, []string{"s", "third"}},
		{Options{Ignore: "commit"}, []string{"old", "new"}},
		{Options{Ignore: "commit", Col: "/strategy .file",
			Filter: ".unit:(ops/s OR p99-response-sec)"}, []string{"old", "new"}},
		{Options{Ignore: "commit", Filter: "/workload:exponential"}, []string{"old", "new", "old"}},
	} {
		table := test.opts.Table
		if table == "" {
			table = ".config"
			test.opts.Table = table
		}
		var args []string
		for flag, value := range map[string]string{"table": strings.TrimSpace(table),
			"row": test.opts.Row, "col": test.opts.Col, "ignore": test.opts.Ignore,
			"filter": test.opts.Filter} {
			if value != "" || flag == "table" {
				args = append(args, "-"+flag, value)
			}
		}
		cmd := exec.Command(path, append(append(args, "-format", "csv"), test.files...)...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil || stdout.Len() == 0 {
			t.Fatalf("benchstat %q: %v, %s", args, err, &stderr)
		}
		var inputs []results.Input
		for i, name := range test.files {
			label := name
			if len(test.files) == 3 && name == "old" {
				label = fmt.Sprintf("old#%d", i/2)
			}
			inputs = append(inputs,
				results.Input{Label: label, Results: resultstest.Read(t, name, texts[name])})
		}
		c, err := All(inputs, test.opts)
		if err != nil {
			t.Errorf("%+v: %v", test.opts, err)
			continue
		}
		var got bytes.Buffer
		if err := WriteCSV(&got, c); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(stdout.String(), "\n"),
			strings.Split(got.String(), "\n")); diff != "" {
			t.Errorf("%+v (-benchstat +ours)\n%s", test.opts, diff)
		}
		if diff := cmp.Diff(stderr.String(),
			strings.Join(append(CSVWarnings(c), ""), "\n")); diff != "" {
			t.Errorf("%+v, warnings (-benchstat +ours)\n%s", test.opts, diff)
		}
	}
}

func TestCompareNotes(t *testing.T) {
	s := resultstest.Read(t, "s", twoStrategies())
	other := resultstest.Read(t, "o", strings.ReplaceAll(twoStrategies(), "pkg: a", "pkg: b"))
	for _, test := range []struct {
		opts Options
		in   []results.Input
		want string // "" for no note about the projections
	}{
		{Options{Ignore: "seed"}, []results.Input{{Label: "s", Results: s}}, ""},
		{Options{Ignore: "seed", Col: "/none"}, []results.Input{{Label: "s", Results: s}},
			`nothing to compare: every result is in one column (/none: "")`},
		{Options{Ignore: "seed", Col: "/strategy"},
			[]results.Input{{Label: "s", Results: s}, {Label: "t", Results: s}},
			"the inputs are pooled, because no projection contains .file"},
		{Options{Ignore: "seed .file", Col: "/strategy"},
			[]results.Input{{Label: "s", Results: s}, {Label: "t", Results: s}}, ""},
		{Options{Ignore: "seed", Table: "pkg"},
			[]results.Input{{Label: "s", Results: s}, {Label: "o", Results: other}},
			"nothing to compare: no row (.fullname) has values in two columns (.file) of one " +
				"table (pkg)"},
		{Options{Filter: ".file:s", Ignore: "seed"},
			[]results.Input{{Label: "s", Results: s}, {Label: "t", Results: s}},
			"no result in t passes the filter"},
		{Options{Row: ".name", Ignore: "seed"}, []results.Input{{Label: "s", Results: s}},
			"benchmarks vary in .fullname: "},
	} {
		c, err := All(test.in, test.opts)
		if err != nil {
			t.Errorf("%+v: %v", test.opts, err)
			continue
		}
		if notes := strings.Join(c.Notes(), "\n"); !strings.Contains(notes, test.want) ||
			test.want == "" && notes != "" {
			t.Errorf("%+v: notes %q, want %q", test.opts, notes, test.want)
		}
		if test.opts.Table != "" && len(c.Missing) > 0 {
			// If the user splits tables, a column need not be in all of them.
			t.Errorf("%+v: missing %v", test.opts, c.Missing)
		}
	}
}

func TestCompareOptionErrors(t *testing.T) {
	s := resultstest.Read(t, "s", twoStrategies())
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{Row: "/load@size"}, `row: unknown order "size" (at character 7 of "/load@size")`},
		{Options{Col: "a,,"}, "col: "},
		{Options{Table: ".config@(a b)"}, "table: fixed order not allowed for .config"},
		{Options{Ignore: ".unit"}, "ignore: .unit is only allowed in filters"},
		{Options{Filter: "/load:"}, "filter: "},
		{Options{Filter: "/load:7"}, "filter: no result in s passes"},
		{Options{Col: "/strategy@(nobody)"}, "filter: no result in s passes"},
	} {
		_, err := All([]results.Input{{Label: "s", Results: s}}, test.opts)
		var option *OptionError
		if !errors.As(err, &option) || !strings.HasPrefix(err.Error(), test.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", test.opts, err, test.want)
		}
	}
	if _, err := All([]results.Input{{Label: "s", Results: s}},
		Options{Col: "/strategy", Row: ".fullname /strategy"}); err == nil {
		t.Error("a row that is its own column is compared with nothing, and passes")
	}
}

// A change from 0 has no percentage. The text must give this reason.
func TestCompareFromZero(t *testing.T) {
	old := resultstest.Read(t, "old", "Unit errors/op better=lower\n"+
		resultstest.Repeat("X", "errors/op", resultstest.Same("0", 6)...))
	c := mustCompare(t, old,
		resultstest.Read(t, "new",
			resultstest.Repeat("X", "errors/op", resultstest.Same("5", 6)...)), Options{})
	write := func(w io.Writer, c *Comparison) error { return WriteText(w, c, 0) }
	for _, render := range []func(io.Writer, *Comparison) error{write, WriteMarkdown} {
		var text strings.Builder
		if err := render(&text, c); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0.000 ± 0%", "5.000 ± 0%", "? ", "worse",
			"¹ the base is 0, so the change has no percentage\n"} {
			if !strings.Contains(strings.ReplaceAll(text.String(), "  \n", "\n"), want) {
				t.Errorf("no %q in\n%s", want, &text)
			}
		}
	}
}

func TestCompareInvalidRuns(t *testing.T) {
	line := "BenchmarkX 1 5 ns/op 0 verdict\n"
	c := mustCompare(t, resultstest.Read(t, "old", line+line),
		resultstest.Read(t, "new", line+strings.Replace(line, "0 verdict", "2 verdict", 1)),
		Options{Metrics: []string{"ns/op"}})
	if diff := cmp.Diff([]string{"INVALID (one of its runs broke an invariant): new (1 of 2 runs)"},
		c.Notes()); diff != "" {
		t.Error(diff)
	}
	if word := c.Tables[0].Change(&c.Tables[0].Rows[0], 1); word != "INVALID" {
		t.Errorf("it is judged: %q", word)
	}
}

func TestCompareManyMissing(t *testing.T) {
	var all strings.Builder
	for i := range 20 {
		fmt.Fprintf(&all, "BenchmarkX%02d 1 5 ns/op\n", i)
	}
	c := mustCompare(t, resultstest.Read(t, "old", all.String()),
		resultstest.Read(t, "new", "BenchmarkX00 1 5 ns/op\n"), Options{})
	if diff := cmp.Diff([]string{"new has no X01, nor 18 other rows"},
		c.Notes()); diff != "" || len(c.Missing) != 19 {
		t.Errorf("%d missing, %s", len(c.Missing), diff)
	}
}

func TestLetters(t *testing.T) {
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA",
		701: "ZZ", 702: "AAA"} {
		if got := letters(column); got != want {
			t.Errorf("%d: %s, want %s", column, got, want)
		}
	}
}

func FuzzProjections(f *testing.F) {
	for _, seed := range [][4]string{
		{"", "", "", ""}, {".config", ".fullname", ".file", "*"}, {" ", " ", " ", "*"},
		{"pkg", ".name /load@num", "/strategy@(semaphore worker_pool)", ".unit:ops/s"},
		{".fullname", ".fullname", ".fullname", "-/load:0.5"},
		{"/gomaxprocs", ".config@alpha", "seed@num", "(a:b OR .file:/s/) AND *"},
		{"a@", "@b", ",,", "x:"}, {"", "", "", "a:/\xff\n/"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	s, err := results.Read(strings.NewReader(twoStrategies()), "s")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, table, row, col, filter string) {
		c, err := All([]results.Input{{Label: "s", Results: s}, {Label: "t", Results: s}},
			Options{Table: table, Row: row, Col: col, Filter: filter, Ignore: "seed"})
		if err != nil {
			if strings.Contains(err.Error(), "\n") || c != nil {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, table := range c.Tables {
			if len(table.columns()) == 0 || table.columns()[0] != table.Base {
				t.Fatalf("columns %v, base %d", table.columns(), table.Base)
			}
		}
		var text bytes.Buffer
		if err := errors.Join(WriteText(&text, c, 0), WriteMarkdown(&text, c), WriteCSV(&text, c),
			WriteJSON(&text, c)); err != nil || len(c.Tables) == 0 {
			t.Fatalf("%d tables, %v", len(c.Tables), err)
		}
	})
}

package results_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func MustRead(t *testing.T, text string) *results.Results {
	t.Helper()
	r, err := results.Read(strings.NewReader(text), "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadOurs(t *testing.T) {
	r := MustRead(t, resultstest.Ours)
	if r.Schema != 1 || r.Partial != "" || len(r.Warnings) != 0 || r.Path != "x.txt" {
		t.Errorf("schema %d, partial %q, warnings %q, path %q", r.Schema, r.Partial,
			r.Warnings, r.Path)
	}
	if diff := cmp.Diff([]string{"semaphore", "worker_pool"}, r.Strategies); diff != "" {
		t.Errorf("strategies: %s", diff)
	}
	if diff := cmp.Diff([]string{"sec/op", "p99-response-sec", "ops/s"}, r.Metrics); diff != "" {
		t.Errorf("metrics: %s", diff)
	}
	if r.Units.GetBetter("p99-response-sec") != -1 {
		t.Error("the direction of p99-response-sec is lost")
	}
	want := results.Run{
		Name: "Run/strategy=worker_pool/workload=hyperexp:mean=20ms,c2=16/limit=4/load=0.8/clock=virtual",
		Keys: []results.Pair{
			{Key: "strategy", Value: "worker_pool"},
			{Key: "workload", Value: "hyperexp:mean=20ms,c2=16"}, {Key: "limit", Value: "4"},
			{Key: "load", Value: "0.8"}, {Key: "clock", Value: "virtual"},
		},
		Repetition: 1,
		Iters:      20000,
		Config:     []results.Pair{{Key: "goos", Value: "linux"}, {Key: "cpu", Value: "Some CPU"}},
		Values:     map[string]float64{"sec/op": 2501 / 1e9, "p99-response-sec": 0, "ops/s": 4},
		Pos:        results.Pos{File: "x.txt", Line: 9},
	}
	// benchunit tidies 2501 ns by a multiplication
	want.Values["sec/op"], _ = benchunit.Tidy(2501, "ns/op")
	if diff := cmp.Diff(want, r.Runs[2]); diff != "" {
		t.Errorf("third run: %s", diff)
	}
	run := &r.Runs[2]
	if v, ok := run.Value("p99-response-sec"); v != 0 || !ok {
		t.Errorf("Value of a metric that is 0: %v, %v", v, ok)
	}
	if _, ok := run.Value("shed/op"); ok {
		t.Error("Value of an absent metric")
	}
	if run.Key("strategy") != "worker_pool" || run.Key("queue") != "" ||
		run.ConfigValue("cpu") != "Some CPU" || run.Base() != "Run" {
		t.Error("Key, ConfigValue or Base")
	}
}

func TestReadGomaxprocs(t *testing.T) {
	r := MustRead(t, "BenchmarkEncode/format=json/4KiB-8 10 5 ns/op\nBenchmarkEncode 10 5 "+
		"ns/op\nBenchmarkEncode-16 10 5 ns/op\n")
	if diff := cmp.Diff([]results.Pair{{Key: "format", Value: "json"},
		{Key: "gomaxprocs", Value: "8"}}, r.Runs[0].Keys); diff != "" {
		t.Error(diff)
	}
	if r.Runs[1].Key("gomaxprocs") != "" || r.Runs[2].Key("gomaxprocs") != "16" ||
		r.Runs[2].Base() != "Encode" || r.Runs[2].Name != "Encode-16" {
		t.Errorf("%+v", r.Runs[1:])
	}
}

func TestReadByteOrderMark(t *testing.T) {
	if r := MustRead(t, "\xef\xbb\xbfgoos: linux\nBenchmarkX 1 5 ns/op\n"); r.Runs[0].ConfigValue(
		"goos") != "linux" {
		t.Errorf("%+v", r.Runs[0])
	}
}

func TestReadRepetitionByPackage(t *testing.T) {
	r := MustRead(t, "pkg: a\nBenchmarkX 1 5 ns/op\nBenchmarkX 1 5 ns/op\npkg: b\nBenchmarkX 1 5 "+
		"ns/op\n")
	if r.Runs[1].Repetition != 1 || r.Runs[2].Repetition != 0 {
		t.Errorf("repetitions %d, %d", r.Runs[1].Repetition, r.Runs[2].Repetition)
	}
}

func TestReadRefuses(t *testing.T) {
	utf16le := string([]byte{0xff, 0xfe})
	for _, u := range utf16.Encode([]rune("BenchmarkX 1 5 ns/op\n")) {
		utf16le += string([]byte{byte(u), byte(u >> 8)})
	}
	const noTools = "; want runs of poolbench or the output of go test -bench"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "x.txt: the file is empty"},
		{"blank", "\n\n",
			"x.txt: no benchmark results in it: none of 2 lines is a result line" + noTools},
		{"byte order mark only", "\xef\xbb\xbf",
			"x.txt: no benchmark results in it: none of 1 lines is a result line" + noTools},
		{"prose", "Lorem ipsum\ndolor\nsit\n",
			"x.txt: no benchmark results in it: none of 3 lines is a result line" + noTools},
		{"go test without -bench", "PASS\nok  \texample.org/a\t0.1s\n",
			"x.txt: no benchmark results in it: go test ran without -bench, or matched none"},
		{"names only", "BenchmarkX\nBenchmarkY\n",
			"x.txt: no benchmark results in it: none of 2 lines is a result line" + noTools},
		{"indented", "a:\n  BenchmarkX 1 5 ns/op\n",
			"x.txt: no benchmark results in it: a result line must not be indented, as line 2 is"},
		{"json without results", event("pkg: a\\n") + event("PASS\\n"),
			"x.txt: no benchmark results in it: go test ran without -bench, or matched none"},
		{"json, damaged", event("BenchmarkX 1 5 ns/op\\n") + `{"Action":"output","Output":"Bench}` +
			"\n", "x.txt:2: the line is not a complete event of go test -json"},
		{"json, NaN", event("pkg: a\\n") + event("BenchmarkX \\t") + event("1 NaN ns/op\\n"),
			"x.txt:3: sec/op of X is NaN, which cannot be compared"},
		{"json, long line", event(strings.Repeat("x", results.MaxLine/2)) +
			event(strings.Repeat("x", results.MaxLine/2)) + event("xx\\n"),
			"x.txt:3: the line is longer than 64 KiB, which no benchmark output has"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00",
			"x.txt:1: the file is packed by gzip: unpack it first (gunzip)"},
		{"gzip, in one line", "\x1f\x8b\x08" + strings.Repeat("x", 2*results.MaxLine),
			"x.txt:1: the file is packed by gzip: unpack it first (gunzip)"},
		{"zstd", "\x28\xb5\x2f\xfdx\n",
			"x.txt:1: the file is packed by zstd: unpack it first (unzstd)"},
		{"utf-16", utf16le, "x.txt:1: the text is UTF-16 (as PowerShell's > writes it): save it " +
			"as UTF-8"},
		{"binary", "a\n\x00\x01\x02\n", "x.txt:2: the line contains a NUL byte: not a text file"},
		{"long line", "BenchmarkX 1 5 ns/op\nx" + strings.Repeat("x", results.MaxLine) +
			"\nBenchmarkY 1 5 ns/op\n",
			"x.txt:2: the line is longer than 64 KiB, which no benchmark output has"},
		{"long line at the end", "BenchmarkX 1 5 ns/op\nx" + strings.Repeat("x", results.MaxLine),
			"x.txt:2: the line is longer than 64 KiB, which no benchmark output has"},
		{"NaN", "BenchmarkX 1 5 ns/op NaN err/op\n",
			"x.txt:1: err/op of X is NaN, which cannot be compared"},
		{"infinite", "BenchmarkX 1 +Inf ns/op\n",
			"x.txt:1: sec/op of X is +Inf, which cannot be compared"},
		{"infinite once tidied", "BenchmarkX 1 1.7e308 MB/s\n",
			"x.txt:1: B/s of X is +Inf, which cannot be compared"},
		{"contradicting units", "Unit a better=lower\nBenchmarkX 1 5 a\nUnit a better=higher\n",
			"x.txt:3: metadata better of unit a already set to lower"},
		{"newer", "# poolbench results 2\nBenchmarkX 1 5 ns/op\n",
			"x.txt:1: written by a newer poolbench: results version 2, and this program reads version 1"},
		{"bad version", "# poolbench results one\nBenchmarkX 1 5 ns/op\n",
			`x.txt:1: "one" is not a version of poolbench's results`},
		{"no version", "# poolbench results\n", `x.txt:1: "" is not a version of poolbench's results`},
		{"newer appended", resultstest.Ours + strings.Replace(resultstest.Ours, "results 1",
			"results 3", 1), "x.txt:11: written by a newer poolbench: results version 3, and " +
			"this program reads version 1"},
		{"interrupted at once", "# poolbench results 1\n# partial 0 of 12 runs: interrupted\n",
			"x.txt: no runs in it (0 of 12 runs: interrupted)"},
		{"killed at once", "# poolbench results 1\ngoos: linux\n",
			"x.txt: no runs in it (cut off after line 2: the run was killed, or is still running)"},
		{"nothing ran", "# poolbench results 1\n# complete 0 runs\n", "x.txt: no runs in it"},
		{"ours, damaged", strings.Replace(resultstest.Ours, "2500 ns/op", "25OO ns/op", 1),
			"x.txt:7: the result line is damaged: parsing measurement: invalid syntax"},
		{"ours, damaged at the end", "# poolbench results 1\nBenchmarkX 1 5 ns/op\nBenchmarkX 1\n",
			"x.txt:3: the result line is damaged: missing measurements"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := results.Read(strings.NewReader(test.text), "x.txt")
			if err == nil {
				t.Fatalf("read: %+v", r)
			}
			if err.Error() != test.want {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestReadPartialAndWarnings(t *testing.T) {
	line := func(s string) string { return "BenchmarkX 1 " + s }
	for _, test := range []struct {
		name, text string
		runs       int
		partial    string
		warnings   []string
	}{
		{"plain", line("5 ns/op\n"), 1, "", nil},
		{"CRLF", strings.ReplaceAll(resultstest.Ours, "\n", "\r\n"), 3, "", nil},
		{"byte order mark", "\xef\xbb\xbf" + resultstest.Ours, 3, "", nil},
		{"longest line", "x" + strings.Repeat("x", results.MaxLine-1) + "\n" + line("5 ns/op\n"), 1,
			"", nil},
		{"appended", resultstest.Ours + resultstest.Ours, 6, "", nil},
		{"appended, counting the whole", resultstest.Ours +
			strings.Replace(resultstest.Ours, "complete 3", "complete 6", 1), 6, "", nil},
		{"interrupted", strings.Replace(resultstest.Ours, "# complete 3 runs",
			"# partial 3 of 12 runs: interrupted", 1), 3, "3 of 12 runs: interrupted", nil},
		{"interrupted, then completed", strings.Replace(resultstest.Ours, "# complete 3 runs",
			"# partial 3 of 12 runs: interrupted", 1) + resultstest.Ours, 6, "", nil},
		{"killed", strings.Replace(resultstest.Ours, "# complete 3 runs\n", "", 1), 3,
			"cut off after line 9: the run was killed, or is still running", nil},
		{"killed, then completed", strings.Replace(resultstest.Ours, "# complete 3 runs\n", "", 1) +
			resultstest.Ours, 6, "", nil},
		{"killed within a line", resultstest.Ours[:strings.LastIndex(resultstest.Ours, " 4 ops/s")],
			2, "cut off after line 9: the run was killed, or is still running",
			[]string{"x.txt:9: the last line was cut off and is omitted"}},
		{"killed within a line, then completed",
			resultstest.Ours[:strings.Index(resultstest.Ours, " ns/op 0 ")] + "\n" +
				resultstest.Ours, 5, "",
			[]string{"x.txt:9: the line was cut off and is omitted"}},
		{"killed while appending", resultstest.Ours + resultstest.Ours[:len(resultstest.Ours)/2], 3,
			"cut off after line 17: the run was killed, or is still running",
			[]string{"x.txt:17: the last line was cut off and is omitted"}},
		{"text after the end", resultstest.Ours + "BenchmarkX 1 5 ns/op\n", 4,
			"cut off after line 11: there is text after the end mark in line 10", nil},
		{"filtered", strings.Replace(resultstest.Ours, "BenchmarkRun/strategy=semaphore", "#", 1),
			2, "contains 2 runs, but its last line counts 3", nil},
		{"the tail of ours",
			resultstest.Ours[strings.Index(resultstest.Ours, "BenchmarkRun/strategy=semaphore"):],
			2, "contains 2 runs, but its last line counts 3", nil},

		{"no newline, alone", line("5 ns/op"), 1, "",
			[]string{"x.txt:1: the last line does not end in a newline: it may have been cut off"}},
		{"no newline, as before", line("5 ns/op 1 B/op\n") + line("4 ns/op 2 B/op"), 2, "", nil},
		{"no newline, shorter than before", line("5 ns/op 1 B/op\n") + line("4 ns/op"), 1,
			"cut off in line 2",
			[]string{"x.txt:2: the last line was cut off and is omitted"}},
		{"no newline, unit cut", line("5 ns/op\n") + line("4 ns/o"), 1, "cut off in line 2",
			[]string{"x.txt:2: the last line was cut off and is omitted"}},
		{"no newline, unreadable", line("5 ns/op\n") + line("4"), 1, "cut off in line 2",
			[]string{"x.txt:2: the last line was cut off and is omitted"}},

		{"log text on result lines", "BenchmarkX \tretrying\n" + line("5 ns/op\n") +
			"BenchmarkY \tretrying\n" + "BenchmarkZ 10\n", 1, "",
			[]string{"x.txt:1: not a result line, omitted: parsing iteration count: invalid " +
				"syntax (1 more like it)",
				"x.txt:4: not a result line, omitted: missing measurements"}},
		{"log lines", "warning: retrying\n" + line("5 ns/op\n") + "error: gone\n" +
			line("5 ns/op\n"), 2, "", nil},
		{"indented", line("5 ns/op\n") + "\tBenchmarkX 1 5 ns/op\n", 1, "",
			[]string{"x.txt:2: an indented result line is not a result and is omitted"}},
		{"failure", line("5 ns/op\n") + "--- FAIL: BenchmarkY\nFAIL\n", 1,
			"go test failed, line 2: --- FAIL: BenchmarkY", nil},
		{"build failed", "FAIL\ta [build failed]\n" + line("5 ns/op\n") + "ok  \tb\t1s\n", 1,
			"go test failed, line 1: FAIL a [build failed]", nil},
		{"panic", line("5 ns/op\n") + "panic: gone\n\ngoroutine 7 [running]:\nexit status 2\n", 1,
			"go test failed, line 2: panic: gone", nil},
		{"exit status", line("5 ns/op\n") + "exit status 2\n", 1,
			"go test failed, line 2: exit status 2", nil},
		{"a metric of failures", line("5 FAIL/op\n") + "FAILURES: 0\n", 1, "", nil},
		{"twice", line("5 ns/op 4e-9 sec/op\n"), 1, "",
			[]string{"x.txt:1: sec/op is given twice: the first value counts"}},
		{"Unit lines", "Unit\nUnit a better\nUnit b better=lower # comment\n" + line("5 a\n"), 1,
			"",
			[]string{"x.txt:1: Unit line: missing unit",
				"x.txt:2: Unit line: expected key=value (2 more like it)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := MustRead(t, test.text)
			if len(r.Runs) != test.runs {
				t.Errorf("%d runs, want %d", len(r.Runs), test.runs)
			}
			if r.Partial != test.partial {
				t.Errorf("partial: got %q, want %q", r.Partial, test.partial)
			}
			if len(r.Warnings)+len(test.warnings) > 0 {
				if diff := cmp.Diff(test.warnings, r.Warnings); diff != "" {
					t.Errorf("warnings: %s", diff)
				}
			}
		})
	}
}

// If the last line is truncated after a unit, only its newline is missing, which is no error. Any
// other truncation must be detected.
func TestReadCutAnywhere(t *testing.T) {
	first, last := "BenchmarkX-8 1 5 ns/op 1 B/op\n", "BenchmarkX-8 1 5 ns/op 2 B/op"
	for cut := 1; cut < len(last); cut++ {
		r := MustRead(t, first+last[:cut])
		if r.Partial != "cut off in line 2" || r.Cut != (results.Pos{File: "x.txt", Line: 2}) ||
			len(r.Runs) != 1 {
			t.Errorf("%q: partial %q, cut in %v, %d runs", last[:cut], r.Partial,
				r.Cut, len(r.Runs))
		}
	}
	for _, text := range []string{first, first + last, first + "PASS", first + "ok  \tm\t0.1s",
		first + "BenchmarkX-8\n"} {
		if r := MustRead(t, text); r.Partial != "" || r.Cut.Line != 0 {
			t.Errorf("%q: partial %q, cut in %v", text, r.Partial, r.Cut)
		}
	}
}

func TestReadSignedZero(t *testing.T) {
	if v := MustRead(t, "BenchmarkX 1 -0 ns/op -0.0000000 m\n").Runs[0].Values; math.Signbit(
		v["sec/op"]) || math.Signbit(v["m"]) {
		t.Errorf("%v", v)
	}
}

// Log lines that look like configuration lines must cause a warning, and no quadratic time.
func TestReadManyKeys(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "task-%d: done\nBenchmarkX 1 5 ns/op\n", i)
	}
	r := MustRead(t, text.String())
	if got := len(r.Runs[2999].Config); got != results.MaxConfig || len(r.Runs) != 3000 {
		t.Errorf("%d keys in the last of %d runs", got, len(r.Runs))
	}
	if len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "x.txt:2002: more than 1000 keys of configuration lines") {
		t.Errorf("%q", r.Warnings)
	}
}

func TestReadStrategiesWithoutHeader(t *testing.T) {
	r := MustRead(t, "BenchmarkR/strategy=b 1 5 ns/op\nBenchmarkR/strategy=a 1 5 "+
		"ns/op\nBenchmarkR/strategy=b 1 5 ns/op\nBenchmarkQ 1 5 ns/op\n")
	if diff := cmp.Diff([]string{"a", "b"}, r.Strategies); diff != "" {
		t.Error(diff)
	}
	r = MustRead(t, strings.Replace(resultstest.Ours, "strategy=semaphore", "strategy=another", 1))
	if diff := cmp.Diff([]string{"worker_pool", "another"}, r.Strategies); diff != "" {
		t.Error(diff)
	}
}

func TestReadFileAndDir(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, rundir.ResultsFile)
	if err := os.WriteFile(path, []byte(resultstest.Ours), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() (*results.Results, error){
		func() (*results.Results, error) { return results.ReadFile(path) },
		func() (*results.Results, error) { return results.ReadFile(dir) },
		func() (*results.Results, error) { return results.ReadDir(dir) },
	} {
		r, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Runs) != 3 || r.Path != path ||
			r.Runs[0].Pos != (results.Pos{File: path, Line: 7}) {
			t.Errorf("%d runs of %s, the first at %v", len(r.Runs), r.Path, r.Runs[0].Pos)
		}
	}
	missing := filepath.Join(dir, "missing")
	for _, test := range []struct {
		read func(string) (*results.Results, error)
		path string
		want string
	}{
		{results.ReadFile, missing, missing + ": no such file or directory"},
		{results.ReadDir, missing, missing + ": no such file or directory"},
		{results.ReadFile, empty, empty + ": no results.txt in it: not the directory of a run"},
		{results.ReadDir, empty, empty + ": no results.txt in it: not the directory of a run"},
		{results.ReadDir, path, path + ": a file, want the directory of a run"},
	} {
		if _, err := test.read(test.path); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.path, err, test.want)
		}
	}
}

// event returns a line of go test -json. The text must be escaped already.
func event(text string) string {
	return `{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a","Output":"` + text +
		"\"}\n"
}

func TestReadTestJSON(t *testing.T) {
	start, pass := `{"Action":"start","Package":"a"}`+"\n",
		`{"Action":"pass","Package":"a","Elapsed":0.1}`+"\n"
	body := event("goos: linux\\n") + event("pkg: a\\n") + event("BenchmarkX\\n") +
		event("BenchmarkX-8   \\t") + event("     10\\t   5 ns/op\\n") +
		event("--- BENCH: BenchmarkX-8\\n    a_test.go:1: hello\\n") +
		event("BenchmarkX-8   \\t     10\\t   6 ns/op\\n")
	r := MustRead(t, start+body+event("PASS\\n")+pass)
	plain := MustRead(t,
		"goos: linux\npkg: a\nBenchmarkX-8 10 5 ns/op\nBenchmarkX-8 10 6 ns/op\nPASS\n")
	for i := range plain.Runs {
		plain.Runs[i].Pos.Line = []int{6, 8}[i]
	}
	if diff := cmp.Diff(plain.Runs, r.Runs); diff != "" || r.Partial != "" || len(r.Warnings) > 0 {
		t.Errorf("partial %q, warnings %q, %s", r.Partial, r.Warnings, diff)
	}
	spaced := strings.NewReplacer(`{"`, `  { "`, `":"`, `": "`, `","`, `" , "`).Replace(start +
		body + event("PASS\\n") + pass)
	if r := MustRead(t, spaced); len(r.Runs) != 2 || r.Partial != "" || r.Runs[1].Name != "X-8" {
		t.Errorf("with spaces: %d runs, partial %q", len(r.Runs), r.Partial)
	}
	for name, text := range map[string]string{"killed": start + body, "torn": start + body +
		`{"Action":"output","Out`, "torn early": start + body + `{"Ti`} {
		if r := MustRead(t, text); len(r.Runs) != 2 ||
			r.Partial != "the events of go test -json contain no end of a" {
			t.Errorf("%s: %d runs, partial %q", name, len(r.Runs), r.Partial)
		}
	}
	if r := MustRead(t, body+`{"Action":"output","Out`); len(r.Runs) != 2 ||
		r.Partial != "cut off in line 8" {
		t.Errorf("%d runs, partial %q", len(r.Runs), r.Partial)
	}
	r = MustRead(t, strings.ReplaceAll(start+body+event("BenchmarkY 1 5 ns/op")+pass, "\n", "\r\n"))
	if len(r.Runs) != 3 || r.Runs[2].Name != "Y" || r.Partial != "" {
		t.Errorf("CRLF, and a last line without its end: %d runs, partial %q",
			len(r.Runs), r.Partial)
	}
	r = MustRead(t, body+event("--- FAIL: BenchmarkZ\\n")+`{"Action":"fail","Package":"a"}`+"\n")
	if !r.Failed || !strings.Contains(r.Partial, "go test failed, line") {
		t.Errorf("partial %q", r.Partial)
	}
}

func TestReadTestJSONMixed(t *testing.T) {
	of := func(pkg, text string) string {
		return strings.Replace(event(text), `"a"`, `"`+pkg+`"`, 1)
	}
	r := MustRead(t, of("a", "pkg: a\\n")+of("a", "BenchmarkX \\t")+
		of("b", "pkg: b\\nBenchmarkY 1 5 ns/op\\n")+of("a", "1 6 ns/op\\n")+
		of("b", "BenchmarkY 1 7 ns/op\\n"))
	got := ""
	for i := range r.Runs {
		got += r.Runs[i].ConfigValue("pkg") + "." + r.Runs[i].Name + " "
	}
	if got != "b.Y a.X b.Y " {
		t.Errorf("got %s", got)
	}
}

type failing struct{ text string }

func (f *failing) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, fmt.Errorf("input/output error")
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func TestReadIOError(t *testing.T) {
	_, err := results.Read(&failing{"BenchmarkX 1 5 ns/op\nBenchmarkX 1 5 n"}, "x.txt")
	if err == nil || err.Error() != "x.txt:2: input/output error" {
		t.Errorf("got %v", err)
	}
}

// For any file, the reader must return a one-line error, or all runs that benchfmt finds, with
// finite and tidied values.
func FuzzRead(f *testing.F) {
	f.Add([]byte(resultstest.Ours))
	f.Add([]byte(resultstest.Ours + resultstest.Ours))
	f.Add([]byte("pkg: a\nBenchmarkX-8 1 0 p99-ns 1e300 MB/s\r\nBenchmarkX-8 1 5 ns/op"))
	f.Add([]byte("Unit a better=lower assume=exact\nBenchmarkX/a=b//=c/=/-3 1 5 a"))
	f.Add([]byte("Benchmark/-8 1 1 x\nBenchmark 1 1 x\nBenchmark-1 2 2 y\n key:\nkey: v\nkey:\n"))
	f.Add([]byte("\xef\xbb\xbf# poolbench results 1\n# partial 1 of 2 runs: x\nBenchmarkX"))
	f.Add([]byte(`{"Action":"output"}`))
	f.Add([]byte(event("pkg: a\\n") + event("BenchmarkX 1 5 ns/op\\n") + `{"Action":"pa`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := results.Read(strings.NewReader(string(text)), "x.txt")
		if err != nil {
			if r != nil || !strings.HasPrefix(err.Error(), "x.txt:") ||
				strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v with error %q", r, err)
			}
			return
		}
		if len(r.Runs) == 0 {
			t.Fatal("no runs and no error")
		}
		for i := range r.Runs {
			run := &r.Runs[i]
			if len(run.Values) == 0 {
				t.Fatalf("run %q has no values", run.Name)
			}
			for unit, v := range run.Values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s is %v", unit, v)
				}
				if _, tidied := benchunit.Tidy(1, unit); tidied != unit {
					t.Fatalf("%s is not tidied", unit)
				}
			}
		}
		if strings.Contains(string(text), `Action"`) {
			return // benchfmt does not read JSON events
		}
		lines := 0
		for reader := benchfmt.NewReader(strings.NewReader(strings.TrimPrefix(string(text),
			"\xef\xbb\xbf")), "x.txt"); reader.Scan(); {
			if _, ok := reader.Result().(*benchfmt.Result); ok {
				lines++
			}
		}
		if lines != len(r.Runs) && !(lines == len(r.Runs)+1 && r.Partial != "") {
			t.Fatalf("%d runs of %d result lines, partial %q", len(r.Runs), lines, r.Partial)
		}
	})
}

func TestReadTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	wide := "BenchmarkX 1"
	for i := range 1000 {
		wide += fmt.Sprintf(" 1 u%d/op", i)
	}
	for line, most := range map[string]int{"BenchmarkX 1 1 ns/op\n": results.MaxResults,
		wide + "\n": results.MaxValues / 1000} {
		_, err := results.Read(strings.NewReader(strings.Repeat(line, most+1)), "x.txt")
		want := fmt.Sprintf("x.txt:%d: more than ", most+1)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s…", err, want)
		}
	}
}

package directory_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

var resultFiles = []string{"results.txt", "distributions.hlog", "timeline.csv", "slowest.csv"}

func write(
	t *testing.T, dir string, mode directory.Mode, planned int, interrupted error,
	results ...*bench.Result,
) {
	t.Helper()
	d, err := directory.Create(dir, mode)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := d.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(planned, interrupted); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSameSeedSameBytes(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		var results []*bench.Result
		for _, strategy := range []string{"worker_pool", "semaphore", "bounded_queue_shed"} {
			results = append(results,
				resultOf(t, scenarioOf(t, bench.Encoded{Strategy: strategy, Limit: 4, Load: 0.8,
					Tasks: 5000, Seed: 1})))
		}
		write(t, dir, directory.New, 3, nil, results...)
	}
	for _, file := range resultFiles {
		if a, b := read(t, dirs[0], file), read(t, dirs[1], file); a != b {
			t.Errorf("%s differs between two runs of one seed", file)
		}
	}
}

func TestResultsFile(t *testing.T) {
	dir := t.TempDir()
	r := resultOf(t, scenarioOf(t, bench.Encoded{Workload: "hyperexp:mean=20ms,c2=16", Limit: 8,
		Load: 0.5, Tasks: 4000}))
	write(t, dir, directory.New, 2, nil, r, r)
	text := read(t, dir, "results.txt")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "# poolbench results 1" || lines[len(lines)-1] != "# complete 2 runs" {
		t.Errorf("first line %q, last line %q", lines[0], lines[len(lines)-1])
	}
	reader := benchfmt.NewReader(strings.NewReader(text), "results.txt")
	n := 0
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			n++
			if got := string(rec.Name.Full()); got != r.Name {
				t.Errorf("name %q, want %q", got, r.Name)
			}
			for _, m := range r.Metrics {
				if got, ok := rec.Value(m.Unit); m.Unit != "ns/op" && (!ok || got != m.Value) {
					t.Errorf("%s = %v (%v), want %v: not a bit may be lost", m.Unit,
						got, ok, m.Value)
				}
			}
		}
	}
	if err := reader.Err(); err != nil || n != 2 {
		t.Errorf("%d results, error %v", n, err)
	}
	if units := reader.Units(); units.GetBetter("p99-response-sec") != -1 ||
		units.GetBetter("goodput-ops/s") != 1 || units.GetBetter("utilisation") != 0 {
		t.Error("the Unit lines do not say the directions")
	}
}

// Tags must name run, repetition and reading. Counts are completed tasks. Lines must equal those of
// the library's writer.
func TestDistributionsFile(t *testing.T) {
	dir := t.TempDir()
	r := resultOf(t, scenarioOf(t, bench.Encoded{Workload: "hyperexp:mean=20ms,c2=16", Limit: 8,
		Load: 0.5, Tasks: 4000}))
	write(t, dir, directory.New, 2, nil, r, r)
	log := hdrhistogram.NewHistogramLogReader(strings.NewReader(read(t, dir, "distributions.hlog")))
	var again strings.Builder
	library := hdrhistogram.NewHistogramLogWriter(&again)
	var tags []string
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		tags = append(tags, h.Tag())
		if err := library.OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
		if h.TotalCount() != 4000 {
			t.Errorf("%s holds %d values, want 4000", h.Tag(), h.TotalCount())
		}
		if want, _ := r.Metric("p99-response-sec"); strings.HasSuffix(h.Tag(), "response") {
			if got := float64(h.ValueAtPercentile(99)) / 1e9; got < want || got > want*1.001 {
				t.Errorf("p99 of the histogram is %v, of the tasks %v", got, want)
			}
		}
	}
	name := strings.ReplaceAll(r.Name, ",", ";")
	var want []string
	for _, repetition := range []string{"0", "1"} {
		for _, of := range []string{"response", "wait", "service"} {
			want = append(want, name+"#"+repetition+":"+of)
		}
	}
	if !strings.HasSuffix(read(t, dir, "distributions.hlog"), again.String()) {
		t.Error("the library would write other lines")
	}
	if strings.Join(tags, "\n") != strings.Join(want, "\n") {
		t.Errorf("tags:\n%s\nwant:\n%s", strings.Join(tags, "\n"), strings.Join(want, "\n"))
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	r := resultOf(t, scenarioOf(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 100}))
	write(t, dir, directory.New, 1, nil, r)
	if _, err := directory.Create(dir, directory.New); err == nil ||
		!strings.Contains(err.Error(), "exists already") {
		t.Errorf("an existing directory: error %v", err)
	}
	write(t, dir, directory.Append, 1, nil, r)
	text := read(t, dir, "results.txt")
	if n := strings.Count(text, "\nBenchmark"); n != 2 {
		t.Errorf("after an append there are %d results", n)
	}
	if !strings.Contains(read(t, dir, "distributions.hlog"), "#1:response") {
		t.Error("the appended repetition is not number 1")
	}
	pages := filepath.Join(dir, rundir.PagesDir)
	if err := os.Mkdir(pages, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{filepath.Join(dir, rundir.ReportFile),
		filepath.Join(pages, "old.html")} {
		if err := os.WriteFile(page, []byte("of an older run"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, directory.Force, 1, nil, r)
	if n := strings.Count(read(t, dir, "results.txt"), "\nBenchmark"); n != 1 {
		t.Errorf("after a replacement there are %d results", n)
	}
	for _, path := range []string{filepath.Join(dir, rundir.ReportFile), pages} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("after a replacement there is the older %s", path)
		}
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), []byte("years of work"),
		0o666); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []directory.Mode{directory.New, directory.Force, directory.Append} {
		if _, err := directory.Create(foreign, mode); err == nil {
			t.Errorf("mode %d takes a directory that is not ours", mode)
		}
	}
	file := filepath.Join(foreign, "thesis.tex")
	if _, err := directory.Create(file, directory.Force); err == nil {
		t.Error("a file passes for a directory")
	}
	if read(t, file) != "years of work" {
		t.Error("the file was touched")
	}
}

func TestKilledAtTheBeginning(t *testing.T) {
	r := resultOf(t, scenarioOf(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 100}))
	for _, mode := range []directory.Mode{directory.New, directory.Force, directory.Append,
		directory.Resume} {
		dir := t.TempDir()
		for _, name := range []string{"results.txt.new", "timeline.csv.new", files.LockName} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("half a li"), 0o666); err !=
				nil {
				t.Fatal(err)
			}
		}
		write(t, dir, mode, 1, nil, r)
		if n := strings.Count(read(t, dir, "results.txt"), "\nBenchmark"); n != 1 {
			t.Errorf("mode %d: %d results", mode, n)
		}
	}
}

func TestPartial(t *testing.T) {
	dir := t.TempDir()
	r := resultOf(t, scenarioOf(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 100}))
	write(t, dir, directory.New, 5, errors.New("interrupted"), r)
	if text := read(t, dir, "results.txt"); !strings.HasSuffix(text,
		"\n# partial 1 of 5 runs: interrupted\n") {
		t.Errorf("it ends with %q", text[len(text)-50:])
	}
	d, err := directory.Create(dir, directory.Force)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(r); err != nil {
		t.Fatal(err)
	}
	text := read(t, dir, "results.txt") // without Close, like a kill
	if strings.Contains(text, "# complete") || !strings.HasSuffix(text, "\n") ||
		strings.Count(text, "\nBenchmark") != 1 {
		t.Errorf("a killed run leaves %q", text)
	}
	if err := d.Close(1, nil); err != nil {
		t.Fatal(err)
	}
	// An incomplete line must not swallow appended lines.
	cut := bytes.TrimSuffix([]byte(read(t, dir, "results.txt")), []byte("# complete 1 runs\n"))
	if err := os.WriteFile(filepath.Join(dir, "results.txt"), cut[:len(cut)-7], 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, dir, directory.Append, 1, nil, r)
	if !strings.Contains(read(t, dir, "results.txt"), "\n# poolbench results 1\n") {
		t.Error("the appended section does not start on a line of its own")
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	r := resultOf(t, scenarioOf(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 100}))
	for _, full := range resultFiles {
		dir := t.TempDir()
		write(t, dir, directory.New, 1, nil, r)
		d, err := directory.Create(dir, directory.Append)
		if err != nil {
			t.Fatal(err)
		}
		directory.Divert(t, d, full, "/dev/full")
		if err := d.Write(r); err == nil || !strings.Contains(err.Error(), "no space left") ||
			!strings.Contains(err.Error(), full) {
			t.Errorf("%s on a full disk: error %v", full, err)
		}
		if err := d.Close(1, nil); err != nil {
			t.Errorf("closing after the error: %v", err)
		}
		if strings.Count(read(t, dir, "results.txt"), "# complete") > 1 {
			t.Errorf("%s could not be written, and the directory says that it is complete", full)
		}
	}
}

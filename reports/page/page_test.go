package page

import (
	"bytes"
	"encoding/csv"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/results"
)

// go test ./reports/page -run ManyRuns -show DIR writes the sample run and its report to DIR.
var show = flag.String("show", "", "directory to leave the sample report in")

func TestReportOfManyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("the others have the same code, and fewer runs")
	}
	dir := writeSample(t, sampleSweep())
	if *show != "" {
		if err := Write(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(*show, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	html := page(t, dir)
	mustContain(t, html, "360 runs of 108 scenarios, 6 strategies",
		"its 95 % confidence interval or, with fewer than 6 repetitions, the smallest and the "+
			"largest repetition",
		"batch arrivals", "real clock", "p99 response against limit")
	if mb := float64(len(html)) / 1e6; mb > 3 {
		t.Errorf("the page is %.1f MB", mb)
	}
}

// Of the three groups, one is a sweep over loads and has theory.
func smallRun(t testing.TB) string {
	t.Helper()
	return resultstest.Files(t, smallFiles())
}

var smallFiles = sync.OnceValue(func() map[string][]byte {
	return sampleFiles([]sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.5, "virtual", 1500, 2},
		{"exponential:mean=10ms", "poisson", 1, 4, 0.8, "virtual", 1500, 2},
		{"constant:mean=10ms", "poisson", 0, 4, 0.8, "virtual", 1500, 2},
		{"hyperexp:mean=10ms,c2=4", "poisson", 4, 4, 0.8, "virtual", 1500, 2},
	})
})

func page(t testing.TB, dir string) string {
	t.Helper()
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := r.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	return html.String()
}

func mustContain(t testing.TB, html string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(html, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
}

func TestReportShowsTheRun(t *testing.T) {
	html := page(t, smallRun(t))
	mustContain(t, html,
		"<b>2026-11-21-0900</b>", "48 runs of 24 scenarios, 6 strategies", // subject
		"AMD EPYC 7B13 &lt;shared&gt;", "<dd>go1.26.8</dd>", "<dd>0a1b2c3</dd>", // machine
		"The invariants hold in all 48 runs: ",
		"is possible for 40 of 48 runs. It agrees to the nanosecond with each of these.",
		"medians of 2 repetitions. The small numbers below a value are the smallest and the "+
			"largest repetition",
		`<section id="variance"`,
		"From C² = 0 to 4, at the same load, the p99 response of all but serial becomes ",
		"errgroup_limit, semaphore and worker_pool have identical results",
		"serial from load 0.5 on does not keep up with the arrivals, and its response grows with "+
			"the length of the run (arrows)",
		"Not drawn: serial does not keep up", "At load 0.8 serial completes",
		"Measured against exact values", "<th title=\"99th percentile of the response time, from "+
			"due to end\">p99 response</th>",
		"hyperexp:mean=10ms,c2=4", "poisson arrivals · virtual clock · limit 4 · 12 runs",
	)
	if strings.Contains(html, "banner\"") {
		t.Error("a sound run carries a banner")
	}
	if strings.Contains(html, "p99.9 response</th>") {
		t.Error("1500 tasks do not resolve a p99.9, and yet it has a column")
	}
}

func TestReportIsSelfContained(t *testing.T) {
	html := page(t, smallRun(t))
	for _, m := range regexp.MustCompile(
		`(?i)\b(src|href|data|action|poster)\s*=\s*"([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(m[2], "#") {
			t.Errorf("the page leads to %s", m[0])
		}
	}
	for _, bad := range []string{"@import", "url(", "fetch(", "XMLHttpRequest",
		"<link", "<iframe"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	ids := make(map[string]bool)
	for _, m := range regexp.MustCompile(`\bid="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ids[m[1]] {
			t.Errorf("two elements have the id %q", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !ids[m[1]] {
			t.Errorf("the link #%s leads nowhere", m[1])
		}
	}
	if n, m := strings.Count(html, "<figure"), strings.Count(html, "<figcaption>"); n == 0 ||
		n != m {
		t.Errorf("%d figures and %d captions", n, m)
	}
}

func TestReportWritesCharts(t *testing.T) {
	dir := smallRun(t)
	charts := filepath.Join(dir, rundir.ChartsDir)
	if err := os.Mkdir(charts, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stale.svg", "stale.png", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(charts, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(charts)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{
		"distribution-constant-mean-10ms-poisson-virtual",
		"distribution-exponential-mean-10ms-poisson-virtual",
		"distribution-hyperexp-mean-10ms-c2-4-poisson-virtual",
		"ranking-constant-mean-10ms-poisson-virtual",
		"ranking-hyperexp-mean-10ms-c2-4-poisson-virtual",
		"response-exponential-mean-10ms-poisson-virtual",
		"throughput-exponential-mean-10ms-poisson-virtual",
		"timeline-constant-mean-10ms-poisson-virtual",
		"timeline-exponential-mean-10ms-poisson-virtual",
		"timeline-hyperexp-mean-10ms-c2-4-poisson-virtual",
		"variance-poisson-arrivals-virtual-clock-limit-4-load-0-8",
	}
	for _, name := range want {
		if !slices.Contains(names, name+".png") || !slices.Contains(names, name+".svg") {
			t.Errorf("no %s among %q", name, names)
		}
	}
	for _, name := range names {
		drawn, isPicture := strings.CutSuffix(name, ".png")
		if isPicture && !slices.Contains(names, drawn+".svg") || strings.HasPrefix(name, "stale") {
			t.Errorf("%s is among %q", name, names)
		}
	}
	if !slices.Contains(names, "mine.txt") {
		t.Error("the user's own file is gone")
	}
	f, err := os.Open(filepath.Join(charts, want[0]+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	html, err := os.ReadFile(filepath.Join(dir, rundir.ReportFile))
	if err != nil || string(html) != page(t, dir) {
		t.Errorf("the page written is not the page: %v", err)
	}
	for _, pattern := range []string{".*", "*/.*"} {
		left, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

func TestReportIsTheSameTwice(t *testing.T) {
	dir := smallRun(t)
	if a, b := page(t, dir), page(t, dir); a != b {
		t.Error("two reports of one run differ")
	}
}

func TestReportEscapesNames(t *testing.T) {
	dir := smallRun(t)
	const evil = `a"><script>alert(1)</script>`
	rename := func(s string) string {
		return strings.ReplaceAll(s, "strategy=semaphore", "strategy="+evil)
	}
	resultstest.Edit(t, dir, rundir.ResultsFile, rename)
	resultstest.Edit(t, dir, rundir.DistributionsFile, rename)
	resultstest.Edit(t, dir, rundir.TimelineFile, func(s string) string {
		rows, err := csv.NewReader(strings.NewReader(s)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			row[0] = rename(row[0])
		}
		var out bytes.Buffer
		if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		return out.String()
	})
	html := page(t, dir)
	if strings.Contains(html, "<script>alert") {
		t.Error("a name became a script")
	}
	mustContain(t, html, "&lt;script&gt;alert(1)")
}

func TestReportWarnsOfPartialRuns(t *testing.T) {
	for end, want := range map[string]string{
		"48 of 90 runs: interrupted": "The results here count; the missing runs may differ",
		"48 of 48 runs: interrupted": "the last run contains its results until it was cut off",
	} {
		dir := smallRun(t)
		resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
			return strings.Replace(s, "# complete 48 runs", "# partial "+end, 1)
		})
		mustContain(t, page(t, dir), "This run is not complete:</strong> "+end+".", want)
	}
}

func TestReportWarnsOfBrokenLaws(t *testing.T) {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return strings.Replace(s, " 0 broken-laws", " 2 broken-laws", 1)
	})
	html := page(t, dir)
	mustContain(t, html, "These runs break invariants.",
		"limit=4/load=0.5/clock=virtual, repetition 1</code>: 2 broken", `class="bad"`)
	if strings.Contains(html, "The invariants hold in") {
		t.Error("the page also says that all laws hold")
	}
}

func TestReportShowsDoubts(t *testing.T) {
	dir := smallRun(t)
	html := page(t, dir)
	for _, no := range []string{"SUSPECT", "INVALID", "Validity of these runs"} {
		if strings.Contains(strings.ReplaceAll(html, front.Script(), ""), no) {
			t.Errorf("%q on the page of results without verdicts", no)
		}
	}
	nth := 0
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllStringFunc(s,
			func(line string) string {
				nth++
				switch nth {
				case 1:
					return "# suspect: lag: late by <3 ms>\n" + line + " 1 verdict"
				case 2:
					return "# suspect: busy machine: 40 %\n# invalid: pause: stood still for " +
						"300ms\n" +
						line + " 2 verdict"
				}
				return line + " 0 verdict"
			})
	})
	html = page(t, dir)
	mustContain(t, html, "These runs are INVALID.</strong> The results do not",
		"</code>: pause: stood still for 300ms</li>", `<b class="bad">SUSPECT</b>`, "late by &lt;3 ms&gt;",
		"Validity of these runs", "<td>VALID</td>", "<td>SUSPECT\n1 of ",
		"<td>INVALID\n1 of ", "of the rows")
	if strings.Count(html, "stood still for 300ms</li>") < 2 {
		t.Error("the reason is not among those of the group")
	}
	all, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Runs[1].Doubts; len(got) != 2 ||
		got[0] != (results.Doubt{Invalid: false, Text: "busy machine: 40 %"}) ||
		got[1] != (results.Doubt{Invalid: true, Text: "pause: stood still for 300ms"}) {
		t.Errorf("doubts: %v", got)
	}
	if got := all.Runs[2].Doubts; got != nil {
		t.Errorf("the next run has %v", got)
	}
}

func TestReportWithoutSideFiles(t *testing.T) {
	dir := smallRun(t)
	for _, name := range []string{rundir.DistributionsFile, rundir.TimelineFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	html := page(t, dir)
	mustContain(t, html, "distributions.hlog is missing", "timeline.csv is missing",
		"p99 response against load")
	if strings.Contains(html, "Distribution of the response") {
		t.Error("there is a chart of distributions without distributions")
	}
}

// If the runner is killed, its files are truncated. The page must show the complete records.
func TestReportOfCutOffSideFiles(t *testing.T) {
	dir := smallRun(t)
	for _, name := range []string{rundir.DistributionsFile, rundir.TimelineFile} {
		resultstest.Edit(t, dir, name, func(s string) string { return s[:len(s)-7] })
	}
	mustContain(t, page(t, dir), "distributions.hlog was cut off in line 49, which is omitted",
		"timeline.csv was cut off in line 2881, which is omitted",
		"Distribution of the response", "In flight and queued over time")
}

func TestReportRefusesDamagedFiles(t *testing.T) {
	for _, c := range []struct {
		file   string
		change func(string) string
		want   string
	}{
		{rundir.ResultsFile, func(string) string { return "" }, "results.txt: the file is empty"},
		{rundir.ResultsFile,
			func(s string) string { return strings.Replace(s, "results 1", "results 2", 1) },
			"results.txt:1: written by a newer poolbench"},
		{rundir.DistributionsFile,
			func(s string) string { return strings.Replace(s, ",HISTFA", ",HISTxx", 1) },
			"distributions.hlog:2: "},
		{rundir.DistributionsFile,
			func(s string) string {
				return regexp.MustCompile(`:response,.*`).ReplaceAllString(s, ":response,what")
			}, "distributions.hlog:2: not a line of a histogram log"},
		{rundir.TimelineFile,
			func(s string) string { return strings.Replace(s, ",queued", ",waiting", 1) },
			`timeline.csv:1: no column "queued" in the header`},
		{rundir.TimelineFile, func(s string) string { return s + "a,0,x,1,0,0,0,0,0,0,0,0,0\n" },
			`timeline.csv:2882: start-sec is "x", not a number`},
		{rundir.TimelineFile, func(s string) string { return s + "a,0\n" },
			"timeline.csv:2882: wrong number of fields"},
	} {
		dir := smallRun(t)
		resultstest.Edit(t, dir, c.file, c.change)
		err := Write(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.file, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, rundir.ReportFile)); err == nil {
			t.Errorf("%s: a report was written all the same", c.file)
		}
	}
}

func TestReportOfNoRun(t *testing.T) {
	for dir, want := range map[string]string{
		t.TempDir():                           "not the directory of a run",
		filepath.Join(t.TempDir(), "missing"): "no such file or directory",
	} {
		if err := Write(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestReportOfForeignBenchmarks(t *testing.T) {
	dir := t.TempDir()
	results := "goos: linux\nBenchmarkCopy/size=4k-2 100 1200 ns/op 300 " +
		"MB/s\nBenchmarkCopy/size=4k-2 100 1300 ns/op 290 MB/s\nBenchmarkHash-2 10 99 ns/op\n"
	if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile), []byte(results),
		0o644); err != nil {
		t.Fatal(err)
	}
	mustContain(t, page(t, dir), "Copy/size=4k-2", "sec/op",
		"1.25 µs\n1.20 – 1.30 µs",
		"99.0 ns", "3 runs of 2 scenarios")
}

func TestReportWithoutHelpfulMetrics(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	b.WriteString("# poolbench results 1\n# strategies a b\n")
	for _, s := range []string{"a", "b"} {
		for _, load := range []string{"0.5", "0.9"} {
			b.WriteString("BenchmarkRun/strategy=" + s + "/workload=constant/load=" + load +
				" 0 0 ns/op 0 ops/s 0 p99-response-sec 0 offered-ops/s\n")
		}
	}
	b.WriteString("# complete 4 runs\n")
	if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	mustContain(t, page(t, dir), "p99 response: 2 points of a omitted (0 or not a number)",
		"Each scenario was run once")
}

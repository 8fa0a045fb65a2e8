package page

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/internal/tab"
	"github.com/poolbench/poolbench/reports/results"
)

func pagesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != pageExt {
			return err
		}
		html, err := os.ReadFile(filepath.Join(dir, name))
		pages[name] = string(html)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// Each page must be reachable, without broken links, and must contain only its own answer, figures,
// numbers and explorer.
func TestEachSubpage(t *testing.T) {
	dir := studied(t)
	if err := os.Mkdir(filepath.Join(dir, rundir.PagesDir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stale.html", "mine.txt"} {
		if err := os.WriteFile(filepath.Join(dir, rundir.PagesDir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t, dir)
	want := []string{"report.html", "report/first.html", "report/runs.html", "report/second.html"}
	var names []string
	linked := make(map[string]bool)
	for name, html := range pages {
		names = append(names, name)
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
			address, at, _ := strings.Cut(m[1], "#")
			to := name
			if address != "" {
				to = path.Join(path.Dir(name), address)
				linked[to] = true
			}
			if at != "" && !strings.Contains(pages[to], ` id="`+at+`"`) || pages[to] == "" {
				t.Errorf("%s leads to %s", name, m[1])
			}
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("pages are %q, want %q", names, want)
	}
	for _, name := range names {
		if !linked[name] {
			t.Errorf("no link leads to %s", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, rundir.PagesDir, "mine.txt")); err != nil {
		t.Error("the user's own file is gone")
	}

	index := pages["report.html"]
	mustContain(t, index, "2 claims: 1 depends, 1 does not hold", "<figure", "48 runs of 24 scenarios",
		`<a href="report/second.html">second</a>`, `<a href="report/runs.html">`)
	for _, not := range []string{`id="explore"`, "<table", `id="study-first"`} {
		if strings.Contains(index, not) {
			t.Errorf("the index has %s", not)
		}
	}
	for name, own := range map[string][]string{
		"first":  {"24 runs of 12 scenarios", "exponential:mean=10ms", "◐ depends"},
		"second": {"12 runs of 6 scenarios", "constant:mean=10ms", "✗ does not hold"},
		"runs":   {"12 runs of 6 scenarios", "hyperexp:mean=10ms,c2=4"}} {
		html := pages["report/"+name+".html"]
		mustContain(t, html, own...)
		mustContain(t, html, `<section id="explore"`, "<table", "<figure")
		for other, of := range map[string]string{"first": "exponential:mean", "second": "constant:mean",
			"runs": "hyperexp:mean"} {
			if other != name && strings.Contains(html, of) {
				t.Errorf("the page of %s has %s", name, of)
			}
		}
	}
	whole := page(t, dir)
	mustContain(t, whole, `<section id="study-first"`, `<section id="study-second"`,
		`<section id="group-hyperexp`)
	if strings.Contains(whole, `href="report/`) {
		t.Error("the report in one file leads to another")
	}
}

// An interrupted run of several studies may produce such a directory.
func TestStudyAndRuns(t *testing.T) {
	dir := smallRun(t)
	resultstest.Edit(t, dir, rundir.ResultsFile,
		insertAfter(24, "# study first: what is faster?\n# claim c\n# verdict holds: by 3 %\n"))
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	mustContain(t, pagesOf(t, dir)["report.html"], `<a href="report/first.html">`,
		`<a href="report/runs.html">`)
}

func TestCutStudy(t *testing.T) {
	dir := studied(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return strings.Replace(s, "# complete 48 runs", "# partial 48 of 60 runs: interrupted", 1)
	})
	draw := func(all *results.Results) ([]Figure, error) {
		figures, err := drawsFirst(all)
		figures[0].Study, figures[0].Name = "third", "cut"
		return figures, err
	}
	if err := Write(dir, draw); err != nil {
		t.Fatal(err)
	}
	for name, html := range pagesOf(t, dir) {
		if n := strings.Count(html, `<figure id="cut"`); n != 1 && name == "report.html" ||
			n != 0 && name != "report.html" {
			t.Errorf("%s has the figure %d times", name, n)
		}
	}
}

func TestPartialPages(t *testing.T) {
	dir := studied(t)
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return strings.Replace(s, "# complete 48 runs", "# partial 48 of 60 runs: interrupted", 1)
	})
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, html := range pagesOf(t, dir) {
		if !strings.Contains(html, "This run is not complete:") {
			t.Errorf("%s is not marked", name)
		}
	}
}

// Groups without a study share one page unless it is too large. The index must have the same answer
// and figure as this page.
func TestSplitBySize(t *testing.T) {
	dir := smallRun(t)
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	if pages := pagesOf(t, dir); len(pages) != 1 {
		t.Errorf("a small run has %d pages", len(pages))
	}
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	dir = writeSample(t, sampleSweep())
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Vectors = true
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t, dir)
	if len(pages) < 3 {
		t.Errorf("a large run has %d pages", len(pages))
	}
	heading := regexp.MustCompile(`(?s)<h1.*?</h1>`)
	if a, b := heading.FindString(pages["report.html"]), heading.FindString(page(t, dir)); a != b {
		t.Errorf("the index begins with %s, want %s", a, b)
	}
	for name, html := range pages {
		if len(html) > maxBytes {
			t.Errorf("%s has %d bytes", name, len(html))
		}
		if !strings.Contains(html, "<figure") {
			t.Errorf("%s has no figure", name)
		}
	}
}

// The default run has 18 pages, each with its own copy of the style and scripts. The limit is 3 MB
// in total.
func TestFixedBytes(t *testing.T) {
	html := page(t, smallRun(t))
	n := 0
	for _, part := range regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).
		FindAllString(html, -1) {
		n += len(part)
	}
	if n > 60_000 {
		t.Errorf("style and scripts have %d bytes", n)
	}
}

func TestPagesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	dir := studied(t)
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	axe := tab.Axe(t, "front")
	b := tab.New(t)
	for _, scheme := range []string{"light", "dark"} {
		b.Media(scheme)
		b.Size(390, 844)
		for name := range pagesOf(t, dir) {
			b.Open(filepath.Join(dir, name), "")
			b.Settled()
			for _, v := range b.Violations(axe) {
				t.Errorf("%s, %s: %s", scheme, name, v)
			}
			if wide := tab.Eval[int64](b, `document.documentElement.scrollWidth`); wide > 390 {
				t.Errorf("%s is %d px wide", name, wide)
			}
		}
	}
}

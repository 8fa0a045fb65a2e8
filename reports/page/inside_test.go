package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

func TestReportShowsRuntime(t *testing.T) {
	const caption = "Go runtime and operating system"
	dir := smallRun(t)
	if strings.Contains(page(t, dir), caption) {
		t.Error("results that say nothing of the runtime have a table of it")
	}
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllString(s, "$0 0.00018 "+
			"p99-sched-sec 0.00002 sched-sec/op 17 max-runnable-goroutines 3 gc-cycles 0.11 gc-cpu "+
			"5.5 voluntary-switches/op 2500 heap-B/inflight")
	})
	html := page(t, dir)
	_, table, _ := strings.Cut(html, caption)
	table, _, _ = strings.Cut(table, "</details>")
	for _, want := range []string{"180 µs", "20.0 µs", "17.0", "3.00", "11.0 %", "5.50", "2500 B"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table does not say %q", want)
		}
	}
	for _, no := range []string{"GC assist", "run queue", "steal"} {
		if strings.Contains(table, no) {
			t.Errorf("the table has a column %q, of which nothing is known", no)
		}
	}
}

package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

func TestReportShowsLabels(t *testing.T) {
	const caption = "By class, priority or tenant of the tasks"
	dir := smallRun(t)
	if strings.Contains(page(t, dir), caption) {
		t.Error("results of tasks that are all alike have a table of kinds")
	}
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllString(s, "$0 "+
			"0.0081 priority-0-p99-response-sec 0.0012 priority-0-mean-response-sec "+
			"0.0041 priority-2-p99-response-sec")
	})
	_, table, _ := strings.Cut(page(t, dir), caption)
	table, _, _ = strings.Cut(table, "</table>")
	at := 0
	for _, want := range []string{"priority 2, p99", "priority 0, p99", "mean", "4.10 ms",
		"8.10 ms", "1.20 ms"} {
		found := strings.Index(table[at:], want)
		if found < 0 {
			t.Fatalf("the table does not say %q behind %q", want, table[:at])
		}
		at += found
	}
}

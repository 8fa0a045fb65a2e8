package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

func TestReportShowsSteps(t *testing.T) {
	const caption = "Sessions, step by step"
	dir := smallRun(t)
	if strings.Contains(page(t, dir), caption) {
		t.Error("results without sessions have a table of them")
	}
	resultstest.Edit(t, dir, rundir.ResultsFile, func(s string) string {
		return regexp.MustCompile(`(?m)^BenchmarkRun/.*$`).ReplaceAllString(s, "$0 40 session-count "+
			"0.0081 session-p50-response-sec 0.2 session-failed/op 1.5 session-mean-length-sec "+
			"31 step10-pay-count 0.0123 step10-pay-p99-response-sec 0.225 step10-pay-unsent/op "+
			"40 step2-log_in-count 0.0041 step2-log_in-p50-response-sec 0.05 step2-log_in-failed/op")
	})
	_, table, _ := strings.Cut(page(t, dir), caption)
	table, _, _ = strings.Cut(table, "</table>")
	at := 0
	for _, want := range []string{"log_in", "40", "4.10 ms", "5.00 %", "pay", "31", "12.3 ms",
		"22.5 %", "whole session", "8.10 ms", "20.0 %", "1.50 s"} {
		found := strings.Index(table[at:], want)
		if found < 0 {
			t.Fatalf("the table does not say %q behind %q", want, table[:at])
		}
		at += found
	}
}

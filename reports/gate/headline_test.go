package gate

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// The headline names the row that decides. Faults and ambiguous inputs are above it in text, and in
// the headline of the page.
func TestHeadline(t *testing.T) {
	row := func(v verdict.Verdict, reason string) []verdict.Row {
		return []verdict.Row{{Benchmark: "A", Metric: "sec/op", Verdict: v, Reason: reason,
			Ratio: 1.1, Lo: 1.05, Hi: 1.2}}
	}
	for _, c := range []struct {
		report     verdict.Report
		text, page string
	}{
		{verdict.Report{Rows: row(verdict.Worse, ""), Unclear: []string{"old is incomplete"}},
			"gate: worse: sec/op of A +10.0 % (+5.00 to +20.0 %)", ""},
		{verdict.Report{Rows: row(verdict.Inconclusive, "too few")},
			"gate: inconclusive: sec/op of A +10.0 % (+5.00 to +20.0 %): too few", ""},
		{verdict.Report{Rows: row(verdict.NoWorse, "")},
			"gate: pass: no regression of 10 % or more in 1 metric", ""},
		{verdict.Report{Rows: row(verdict.NoWorse, ""), Unclear: []string{"old is incomplete"}},
			"gate: inconclusive", "gate: inconclusive: old is incomplete"},
		{verdict.Report{Rows: row(verdict.Worse, ""), Faults: []string{"other machine"}},
			"gate: cannot decide", "gate: cannot decide: other machine"},
		{verdict.Report{}, "gate: cannot decide", ""},
		{verdict.Report{Rows: row(verdict.Better, ""), Removed: []string{"B"}},
			"gate: benchmarks removed", ""},
	} {
		c.report.Options = DefaultOptions()
		c.report.FailOnRemoved = len(c.report.Removed) > 0
		if c.page == "" {
			c.page = c.text
		}
		var text, page strings.Builder
		if err := WriteText(&text, &c.report, 0); err != nil {
			t.Fatal(err)
		}
		if err := WritePage(&page, &c.report); err != nil {
			t.Fatal(err)
		}
		said := strings.ReplaceAll(text.String(), "\u00a0", " ")
		if !strings.HasSuffix(said, "\n"+c.text+"\n") {
			t.Errorf("no %q at the end of\n%s", c.text, said)
		}
		shown := strings.ReplaceAll(page.String(), "\u00a0", " ")
		if !strings.Contains(shown, ">"+c.page+"</h1>") {
			_, heading, _ := strings.Cut(shown, "<h1")
			t.Errorf("no headline %q: %.100s", c.page, heading)
		}
	}
}

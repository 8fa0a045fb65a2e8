package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/tables"
	"github.com/poolbench/poolbench/reports/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteMarkdown writes a gate's report for a pull request: rows to look at in a table, the others
// folded away.
func WriteMarkdown(w io.Writer, r *verdict.Report) error {
	short, shared := results.ShortNames(benchmarkNames(r))
	var text strings.Builder
	head := summary(r)
	if shared != "" {
		head = append(head, results.SharedLine(shared))
	}
	fmt.Fprintf(&text, "### %s\n\n%s\n\n", tables.Escape(outcome(r)),
		tables.Escape(strings.Join(head, "  \n")))
	calm := len(r.Rows)
	for calm > 0 && r.Rows[calm-1].Verdict.Severity() >= verdict.NotSuspected.Severity() {
		calm--
	}
	writeRows(&text, r.Rows[:calm], short)
	if quiet := r.Rows[calm:]; len(quiet) > 0 {
		fmt.Fprintf(&text, "<details><summary>%s %s</summary>\n\n",
			prose.Count(len(quiet), "metric"), quietWords(quiet))
		writeRows(&text, quiet, short)
		text.WriteString("</details>\n\n")
	}
	for _, line := range remarks(r) {
		fmt.Fprintf(&text, "- %s\n", tables.Escape(line))
	}
	_, err := io.WriteString(w, strings.TrimRight(text.String(), "\n")+"\n")
	return err
}

func quietWords(rows []verdict.Row) string {
	switch {
	case rows[0].Verdict == verdict.NoWorse:
		return "no worse"
	case rows[len(rows)-1].Verdict == verdict.NotSuspected:
		return "not suspected"
	}
	return "no worse or not suspected"
}

func writeRows(text *strings.Builder, rows []verdict.Row, short map[string]string) {
	if len(rows) == 0 {
		return
	}
	var m tables.Markdown
	for _, c := range gateColumns {
		m.Head(c.align, c.head)
	}
	m.Head(tables.Left, "")
	for i := range rows {
		cells := columns(&rows[i], short)
		cells[1], cells[2] = tables.Code(cells[1]), tables.Escape(cells[2])
		m.Row(append(cells, tables.Escape(rows[i].Reason)))
	}
	m.Write(text)
	text.WriteByte('\n')
}

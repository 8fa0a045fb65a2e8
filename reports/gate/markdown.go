package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteMarkdown writes a gate's report for a pull request: important rows in a table, the others
// folded.
func WriteMarkdown(w io.Writer, r *verdict.Report) error {
	short, shared := results.ShortNames(benchmarkNames(r))
	var s strings.Builder
	head := summary(r)
	if shared != "" {
		head = append(head, results.SharedLine(shared))
	}
	fmt.Fprintf(&s, "### %s\n\n%s\n\n", text.MarkdownEscape(outcome(r)),
		text.MarkdownEscape(strings.Join(head, "  \n")))
	calm := len(r.Rows)
	for calm > 0 && r.Rows[calm-1].Verdict.Severity() >= verdict.NotSuspected.Severity() {
		calm--
	}
	writeRows(&s, r.Rows[:calm], short)
	if quiet := r.Rows[calm:]; len(quiet) > 0 {
		fmt.Fprintf(&s, "<details><summary>%s %s</summary>\n\n",
			text.Count(len(quiet), "metric"), quietWords(quiet))
		writeRows(&s, quiet, short)
		s.WriteString("</details>\n\n")
	}
	for _, line := range remarks(r) {
		fmt.Fprintf(&s, "- %s\n", text.MarkdownEscape(line))
	}
	_, err := io.WriteString(w, strings.TrimRight(s.String(), "\n")+"\n")
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

func writeRows(s *strings.Builder, rows []verdict.Row, short map[string]string) {
	if len(rows) == 0 {
		return
	}
	var m text.Markdown
	for _, c := range gateColumns {
		m.Head(c.align, c.head)
	}
	m.Head(text.Left, "")
	for i := range rows {
		cells := columns(&rows[i], short)
		cells[1], cells[2] = text.MarkdownCode(cells[1]), text.MarkdownEscape(cells[2])
		m.Row(append(cells, text.MarkdownEscape(rows[i].Reason)))
	}
	m.Write(s)
	s.WriteByte('\n')
}

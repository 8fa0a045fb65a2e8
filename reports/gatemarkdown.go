package reports

import (
	"fmt"
	"io"
	"strings"
)

// WriteGateMarkdown writes a gate's report for a pull request: what needs a look in a table, what does not folded away.
func WriteGateMarkdown(w io.Writer, r *GateReport) error {
	short, shared := shortNames(r.names())
	var text strings.Builder
	head := r.summary()
	if shared != "" {
		head = append(head, sharedLine(shared))
	}
	fmt.Fprintf(&text, "### %s\n\n%s\n\n", markdownText(r.outcome()), markdownText(strings.Join(head, "  \n")))
	calm := len(r.Rows)
	for calm > 0 && r.Rows[calm-1].Verdict == NoWorse {
		calm--
	}
	gateRows(&text, r.Rows[:calm], short)
	if quiet := r.Rows[calm:]; len(quiet) > 0 {
		fmt.Fprintf(&text, "<details><summary>%s no worse</summary>\n\n", count(len(quiet), "metric"))
		gateRows(&text, quiet, short)
		text.WriteString("</details>\n\n")
	}
	for _, line := range r.remarks() {
		fmt.Fprintf(&text, "- %s\n", markdownText(line))
	}
	_, err := io.WriteString(w, strings.TrimRight(text.String(), "\n")+"\n")
	return err
}

func gateRows(text *strings.Builder, rows []GateRow, short map[string]string) {
	if len(rows) == 0 {
		return
	}
	var m markdownTable
	for _, c := range gateColumns {
		m.head(c.align, c.head)
	}
	m.head(left, "")
	for i := range rows {
		cells := rows[i].columns(short)
		cells[1], cells[2] = markdownCode(cells[1]), markdownText(cells[2])
		m.row(append(cells, markdownText(rows[i].Reason)))
	}
	m.write(text)
	text.WriteByte('\n')
}

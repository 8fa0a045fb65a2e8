package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

// WriteMarkdown writes a gate's report for a pull request, with unimportant rows folded.
func WriteMarkdown(w io.Writer, r *verdict.Report) error {
	short, head := heading(r)
	var s strings.Builder
	fmt.Fprintf(&s, "### %s\n\n%s\n\n", text.MarkdownEscape(headline(r, short)),
		text.MarkdownEscape(strings.Join(head, "  \n")))
	calm := len(r.Rows)
	for calm > 0 && r.Rows[calm-1].Verdict.Severity() >= verdict.NotSuspected.Severity() {
		calm--
	}
	if calm > 0 {
		s.WriteString(rowsTable(r.Rows[:calm], short).Markdown() + "\n")
	}
	if quiet := r.Rows[calm:]; len(quiet) > 0 {
		fmt.Fprintf(&s, "<details><summary>%s %s</summary>\n\n%s\n</details>\n\n",
			text.Count(len(quiet), "metric"), quietWords(quiet), rowsTable(quiet, short).Markdown())
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

package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteMarkdown writes a comparison as GitHub-flavoured Markdown.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var s strings.Builder
	list := func(lines []string) {
		for _, line := range lines {
			s.WriteString("- " + text.MarkdownEscape(line) + "\n")
		}
	}
	list(configLines(c.Config))
	if c.shared != "" {
		list([]string{results.SharedLine(c.shared)})
	}
	s.WriteByte('\n')
	for i := range c.Tables {
		t := &c.Tables[i]
		fmt.Fprintf(&s, "### %s\n\n%s\n", text.MarkdownEscape(t.title()),
			c.metricTable(t, t.columns(), c.Columns).Markdown())
	}
	list(c.Notes())
	_, err := io.WriteString(w, strings.Trim(s.String(), "\n")+"\n")
	return err
}

package junit

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

// GitHub shows so many annotations per kind for a step of a workflow.
const maxAnnotations = 10

// Annotate writes a workflow command for each case that did not pass. Names are untrusted: they
// cannot begin or end a command.
func (s *Suite) Annotate(w io.Writer) error {
	var b strings.Builder
	written := 0
	for i := range s.Cases {
		c := &s.Cases[i]
		text := cmp.Or(c.Failure, c.Error)
		if text == nil {
			continue
		}
		if written++; written == maxAnnotations && s.Failures+s.Errors > maxAnnotations {
			fmt.Fprintf(&b, "::error title=%s::%s\n", property(s.Name), data(fmt.Sprintf(
				"and %d more did not pass", s.Failures+s.Errors-written+1)))
			break
		}
		fmt.Fprintf(&b, "::error title=%s::%s\n", property(s.Name+": "+c.Name),
			data(strings.TrimPrefix(c.Class+": "+text.Message, ": ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// GitHub decodes only these escapes in the message of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text.Plain(s))
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}

func (s *Suite) Summarize(w io.Writer) error {
	var b strings.Builder
	passed := s.Tests - s.Failures - s.Errors - s.Skipped
	fmt.Fprintf(&b, "### %s: %d passed, %d failed, %d undecided\n\n", text.MarkdownEscape(s.Name), passed,
		s.Failures, s.Errors)
	if s.Output != "" {
		fmt.Fprintf(&b, "%s\n\n", text.MarkdownEscape(text.OneLine(s.Output)))
	}
	var bad, good text.Markdown
	for _, m := range []*text.Markdown{&bad, &good} {
		for _, name := range []string{"outcome", "what", "of", "said"} {
			m.Head(text.Left, name)
		}
	}
	row := func(m *text.Markdown, outcome string, c *Case, said string) {
		cells := []string{outcome, c.Name, c.Class, said}
		for i, str := range cells {
			cells[i] = text.MarkdownEscape(text.Plain(text.OneLine(str)))
		}
		m.Row(cells)
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		switch {
		case c.Failure != nil:
			row(&bad, "failed", c, c.Failure.Message)
		case c.Error != nil:
			row(&bad, "undecided", c, c.Error.Message)
		case c.Skipped != nil:
			row(&good, "skipped", c, c.Skipped.Message)
		default:
			row(&good, "passed", c, c.Output)
		}
	}
	if s.Failures+s.Errors > 0 {
		bad.Write(&b)
		b.WriteString("\n")
	}
	if rest := s.Tests - s.Failures - s.Errors; rest > 0 {
		fmt.Fprintf(&b, "<details><summary>%d passed or skipped</summary>\n\n", rest)
		good.Write(&b)
		b.WriteString("\n</details>\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

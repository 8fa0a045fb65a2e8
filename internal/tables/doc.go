// Package tables lays tables out: in columns of a fixed-width font, and in Markdown.
package tables

import "io"

// WriteLines writes each line with its end.
func WriteLines(w io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Package plain keeps control characters out of what people read. The names of benchmarks, files
// and configuration lines are others' texts: an escape sequence in one would command the terminal,
// a bidirectional mark would reorder the line.
package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// shown reports whether a character may be printed as it is. All but tab and newline that draws
// nothing is escaped: C0, C1, bidirectional marks, line separators, invisible characters.
func shown(r rune) bool { return r == '\n' || r == '\t' || unicode.IsGraphic(r) }

// Text spells the characters that are not shown as \u001b, and bytes that are not UTF-8 as \xff.
// The spelling of characters is also JSON's, and nothing that XML, HTML, CSV or Markdown take for
// markup, so that it is right in a document of any format.
func Text(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !shown(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case shown(r):
			b.WriteString(s[:size])
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		s = s[size:]
	}
	return b.String()
}

// A Writer writes the Text of what it is given. A character may be cut in two by the end of a
// Write. It is safe for concurrent use.
type Writer struct {
	to   io.Writer
	mu   sync.Mutex
	held []byte // the beginning of a character
}

// NewWriter returns a Writer to that one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer. After an error how much was written is not known.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := append(w.held, p...)
	whole := len(s)
	for back := 1; back <= min(len(s), utf8.UTFMax-1); back++ {
		if tail := s[len(s)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				whole -= back
			}
			break
		}
	}
	w.held = append([]byte(nil), s[whole:]...)
	if whole == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(w.to, Text(string(s[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the beginning of a character whose end never came.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	held := string(w.held)
	w.held = nil
	_, err := io.WriteString(w.to, Text(held))
	return err
}

// Raw is the Writer below, for sequences of one's own: a progress bar.
func (w *Writer) Raw() io.Writer { return w.to }

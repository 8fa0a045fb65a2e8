package text

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Invisible characters are C0, C1, bidirectional marks, line separators and others.
func isVisible(r rune) bool { return r == '\n' || r == '\t' || unicode.IsGraphic(r) }

// Plain replaces invisible characters by \u001b and invalid UTF-8 bytes by \xff. The escapes are
// valid in JSON and contain no markup of XML, HTML, CSV or Markdown.
func Plain(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !isVisible(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case isVisible(r):
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

// A PlainWriter writes Plain of its input. A Write may end within a character. It is safe for
// concurrent use.
type PlainWriter struct {
	to   io.Writer
	mu   sync.Mutex
	held []byte // beginning of an incomplete character
}

func NewPlainWriter(to io.Writer) *PlainWriter { return &PlainWriter{to: to} }

// After an error, the number of written bytes is unknown.
func (w *PlainWriter) Write(p []byte) (int, error) {
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
	if _, err := io.WriteString(w.to, Plain(string(s[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the beginning of an incomplete character.
func (w *PlainWriter) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	held := string(w.held)
	w.held = nil
	_, err := io.WriteString(w.to, Plain(held))
	return err
}

// Raw is for the program's own escape sequences.
func (w *PlainWriter) Raw() io.Writer { return w.to }

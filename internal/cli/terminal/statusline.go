package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/text"
)

// A StatusLine is one of a terminal that is drawn anew in its place. A nil one is none. Errors of a
// terminal that is gone are nobody's to hear.
type StatusLine struct{ On io.Writer }

// NewStatusLine is one where to is a terminal.
func NewStatusLine(to io.Writer) *StatusLine {
	if f := Console(to); f != nil {
		return &StatusLine{f}
	}
	return nil
}

// Console is what a line may be drawn on with sequences of its own; nil where that goes elsewhere.
func Console(to io.Writer) *os.File {
	w, ok := to.(*text.PlainWriter)
	if !ok {
		return nil
	}
	f, ok := w.Raw().(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// Draw replaces what the line says, cut to the width: a line that wraps cannot be taken back.
func (l *StatusLine) Draw(s string) {
	columns := FallbackColumns
	if f, ok := l.On.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 1 {
			columns = n
		}
	}
	runes := []rune(text.Plain(s))
	if len(runes) >= columns {
		runes = append(runes[:columns-2], '…')
	}
	fmt.Fprint(l.On, ClearLine, string(runes))
}

// ClearLine takes the line away.
const ClearLine = "\r\x1b[K"

// Clear takes the line away.
func (l *StatusLine) Clear() { fmt.Fprint(l.On, ClearLine) }

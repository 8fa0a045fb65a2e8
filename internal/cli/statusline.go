package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/plain"
)

// A statusLine is one of a terminal that is drawn anew in its place. A nil one is none. Errors of a
// terminal that is gone are nobody's to hear.
type statusLine struct{ on io.Writer }

// newStatusLine is one where to is a terminal.
func newStatusLine(to io.Writer) *statusLine {
	if f := console(to); f != nil {
		return &statusLine{f}
	}
	return nil
}

// console is what a line may be drawn on with sequences of its own; nil where that goes elsewhere.
func console(to io.Writer) *os.File {
	w, ok := to.(*plain.Writer)
	if !ok {
		return nil
	}
	f, ok := w.Raw().(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// fallbackColumns is the width of a terminal that does not tell it.
const fallbackColumns = 80

// draw replaces what the line says, cut to the width: a line that wraps cannot be taken back.
func (l *statusLine) draw(text string) {
	columns := fallbackColumns
	if f, ok := l.on.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 1 {
			columns = n
		}
	}
	runes := []rune(plain.Text(text))
	if len(runes) >= columns {
		runes = append(runes[:columns-2], '…')
	}
	fmt.Fprint(l.on, clearLine, string(runes))
}

const clearLine = "\r\x1b[K"

func (l *statusLine) clear() { fmt.Fprint(l.on, clearLine) }

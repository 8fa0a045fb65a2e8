package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/text"
)

// A nil StatusLine draws nothing. Write errors are ignored.
type StatusLine struct{ On io.Writer }

func NewStatusLine(to io.Writer) *StatusLine {
	if f := Console(to); f != nil {
		return &StatusLine{f}
	}
	return nil
}

// Console returns the terminal behind to that accepts escape sequences, or nil.
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

// A wrapped line cannot be cleared, so Draw cuts it to the width.
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

const ClearLine = "\r\x1b[K"

func (l *StatusLine) Clear() { fmt.Fprint(l.On, ClearLine) }

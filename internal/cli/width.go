package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/plain"
)

// narrowest is the width below which nothing is laid out any more.
const narrowest = 40

// columns is the width that tables and paragraphs on stdout keep to: COLUMNS, or that of the
// terminal; 0 where neither is known, as in a pipe, whose reader has no width.
func (a *app) columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	w, ok := a.stdout.to.(*plain.Writer)
	if !ok {
		return 0
	}
	f, ok := w.Raw().(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return max(n, narrowest)
	}
	return fallbackColumns
}

// table prints one, folded where it is too wide.
func (a *app) table(rows [][]string) error {
	return terminal.WriteTable(a.stdout, rows, a.columns())
}

// list prints rows of which the last column may be long.
func (a *app) list(rows [][]string) error {
	return terminal.WriteList(a.stdout, rows, a.columns())
}

// say prints a paragraph of lines of at most so many characters, or of what the reader has.
func (a *app) say(first, text string, most int) {
	if n := a.columns(); n > 0 {
		most = min(most, n)
	}
	fmt.Fprintln(a.stdout, terminal.Wrapped(first, text, most))
}

// prose prints lines of text, each of which is broken where it is wider than the reader has.
func (a *app) prose(format string, args ...any) error {
	text, most := fmt.Sprintf(format, args...), a.columns()
	var b strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(line)
		if most > 0 && words != "" && utf8.RuneCountInString(line) > most {
			indent := line[:strings.Index(line, words)]
			line = terminal.Wrapped(indent, words, most) + "\n"
		}
		b.WriteString(line)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

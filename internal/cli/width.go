package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/internal/tables"
)

// narrowest is the width below which nothing is laid out any more.
const narrowest = 40

// columns is the width that tables and paragraphs on stdout keep to: COLUMNS, or that of the
// terminal; 0 where neither is known, as in a pipe, whose reader has no width.
func (a *app) columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	if a.screen == nil {
		return 0
	}
	if n, _, err := term.GetSize(int(a.screen.Fd())); err == nil && n > 0 {
		return max(n, narrowest)
	}
	return fallbackColumns
}

// table prints one, folded where it is too wide.
func (a *app) table(rows [][]string) error {
	return tables.WriteTable(a.stdout, rows, a.columns())
}

// list prints rows of which the last column may be long.
func (a *app) list(rows [][]string) error {
	return tables.WriteList(a.stdout, rows, a.columns())
}

// say prints a paragraph of lines of at most so many characters, or of what the reader has.
func (a *app) say(first, text string, most int) {
	if n := a.columns(); n > 0 {
		most = min(most, n)
	}
	fmt.Fprintln(a.stdout, tables.Wrapped(first, text, most))
}

// prose prints lines of text, each of which is broken where it is wider than the reader has.
func (a *app) prose(format string, args ...any) error {
	_, err := io.WriteString(a.stdout, tables.Fit(fmt.Sprintf(format, args...), a.columns()))
	return err
}

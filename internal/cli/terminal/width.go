package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// narrowest is the width below which nothing is laid out any more.
const narrowest = 40

// FallbackColumns is the width of a terminal that does not tell it.
const FallbackColumns = 80

// Columns is the width that tables and paragraphs on stdout keep to: COLUMNS, or that of the
// terminal; 0 where neither is known, as in a pipe, whose reader has no width.
func (p *Printer) Columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	if p.screen == nil {
		return 0
	}
	if n, _, err := term.GetSize(int(p.screen.Fd())); err == nil && n > 0 {
		return max(n, narrowest)
	}
	return FallbackColumns
}

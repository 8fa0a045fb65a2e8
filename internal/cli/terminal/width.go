package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// narrowest is the minimum width for layout, in columns.
const narrowest = 40

// FallbackColumns is the width of a terminal that does not report one.
const FallbackColumns = 80

// Columns returns the width for tables and paragraphs on stdout: COLUMNS or the width of the
// terminal, or 0 if neither is known, as in a pipe.
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

package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

const narrowest = 40

const FallbackColumns = 80

// Columns returns 0 if the width is unknown, as in a pipe.
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

package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/plain"
)

// A loadProgress tells how far a load is: a line that changes on a terminal, a line for each tenth
// elsewhere, and at least for each minute.
type loadProgress struct {
	to       io.Writer
	load     load
	terminal *os.File // nil: plain lines
	tenths   int
}

func (a *app) newLoadProgress(l load, quiet bool) *loadProgress {
	p := &loadProgress{load: l}
	if quiet {
		return p
	}
	p.to = a.stderr
	p.terminal = terminal(a.stderr)
	return p
}

func (p *loadProgress) step(now attack.Progress) {
	if p.to == nil {
		return
	}
	line := fmt.Sprintf("%s: %d requests settled, %d not completed", p.load.row,
		now.Settled, now.Failed)
	if left := p.load.estimate - now.Elapsed; p.load.estimate > 0 && left > 0 {
		line += ", about " + roughly(left) + " left"
	}
	if p.terminal != nil {
		fmt.Fprintf(p.terminal, "\r\x1b[K%s", plain.Text(line))
		return
	}
	tenth := min(max(p.load.estimate/10, 2*time.Second), time.Minute)
	if n := int(now.Elapsed / tenth); n > p.tenths {
		p.tenths = n
		fmt.Fprintln(p.to, line)
	}
}

func (p *loadProgress) close() {
	if p.terminal != nil {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}

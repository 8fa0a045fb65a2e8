package execute

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/live"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/text"
)

// A Load is a line that changes on a terminal. Otherwise it is a line per tenth of the load, and at
// least one per minute.
type Load struct {
	to     io.Writer
	row    string               // row of the load
	takes  time.Duration        // estimated duration; 0 if unknown
	line   *terminal.StatusLine // line of a terminal; nil for plain lines
	tenths int
	hides  bool

	mu  sync.Mutex
	now string // current activity, for a terminal
}

// takes is the load's planned duration.
func NewLoad(
	to io.Writer, quiet bool, row string, takes time.Duration,
) *Load {
	p := &Load{row: row, takes: takes}
	if !quiet {
		p.to, p.line = to, terminal.NewStatusLine(to)
	}
	return p
}

// HideLeft omits the time that is left for the load, for a row that contains another time.
func (p *Load) HideLeft() { p.hides = true }

func (p *Load) Step(now attack.Progress) {
	if p.to == nil {
		return
	}
	line := fmt.Sprintf("%s: %d requests settled, %d not completed", p.row,
		now.Settled, now.Failed)
	if left := p.takes - now.Elapsed; p.takes > 0 && left > 0 && !p.hides {
		line += ", about " + text.Roughly(left) + " left"
	}
	if p.line != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.now != "" {
			line += " · " + p.now
		}
		p.line.Draw(line)
		return
	}
	tenth := min(max(p.takes/10, 2*time.Second), time.Minute)
	if n := int(now.Elapsed / tenth); n > p.tenths {
		p.tenths = n
		fmt.Fprintln(p.to, line)
	}
}

func (p *Load) setStatus(now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

func (p *Load) Close() {
	if p.line != nil {
		p.line.Clear()
	}
}

type Loads struct {
	planned int // 0 if unknown

	mu   sync.Mutex
	done int
	now  *Load // nil between two loads
}

// planned is 0 if unknown.
func NewLoads(planned int) *Loads { return &Loads{planned: planned} }

// A nil l means that the previous load has ended.
func (p *Loads) Next(l *Load) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now = l; l == nil {
		p.done++
	}
}

func (p *Loads) Plan() live.Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	return live.Plan{Done: p.done, Planned: p.planned, Left: -1}
}

func (p *Loads) SetStatus(now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != nil {
		p.now.setStatus(now)
	}
}

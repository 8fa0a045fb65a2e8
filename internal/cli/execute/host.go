package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// A Host is the process in which an execution takes place.
type Host struct {
	*terminal.Printer
	Drive bench.RunFunc // how a real-clock scenario is run in this process
	Grace time.Duration // that such a run gets to return once it is told to
	// before a soak is asked for the first time what it has so far
	FirstPause time.Duration
	Vectors    bool // the charts of a report are written as SVG alone
}

// NewHost is this process, as users have it.
func NewHost(p *terminal.Printer) *Host {
	return &Host{Printer: p, Drive: bench.Run, Grace: stopGrace, FirstPause: time.Second}
}

package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// A Host is the process in which an execution runs.
type Host struct {
	*terminal.Printer
	Drive bench.RunFunc // how a real-clock scenario is run in this process
	Grace time.Duration // that such a run gets to return once it is told to
	// before the first interim result of a soak is requested
	FirstPause time.Duration
	Vectors    bool // the charts of a report are written as SVG alone
}

// NewHost returns this process with the defaults of the command.
func NewHost(p *terminal.Printer) *Host {
	return &Host{Printer: p, Drive: bench.Run, Grace: stopGrace, FirstPause: time.Second}
}

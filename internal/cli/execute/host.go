package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

type Host struct {
	*terminal.Printer
	Drive bench.RunFunc // runs a real-clock scenario in this process
	Grace time.Duration // time for such a run to return after it was cancelled
	// time before the first interim result of a soak is requested
	FirstPause time.Duration
	Vectors    bool // whether charts of a report are written only as SVG
	// the command line without secrets and outputs, for run directories, or ""
	CommandLine string
}

func NewHost(p *terminal.Printer) *Host {
	return &Host{Printer: p, Drive: bench.Run, Grace: stopGrace, FirstPause: time.Second}
}

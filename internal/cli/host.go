package cli

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// A host is the process in which an execution takes place.
type host struct {
	*terminal.Printer
	drive bench.RunFunc // how a real-clock scenario is run in this process
	grace time.Duration // that such a run gets to return once it is told to
	// before a soak is asked for the first time what it has so far
	firstPause time.Duration
}

func newHost(p *terminal.Printer) *host {
	return &host{Printer: p, drive: bench.Run, grace: stopGrace, firstPause: time.Second}
}

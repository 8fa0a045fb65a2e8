package execute

import (
	"io"
	"strings"
	"time"
)

// A Gate tells how far a gate is, as Runs does for a plan. It learns of its runs as it goes.
type Gate struct {
	*Runs
	phase string // that was told of last
}

// NewGate learns of the runs as the gate goes.
func NewGate(to io.Writer, quiet bool) *Gate {
	return &Gate{Runs: NewRuns(to, quiet, nil)}
}

// Doing implements measure.Watch: on a terminal with the numbers, elsewhere a line for each
// phase.
func (w *Gate) Doing(what string) {
	if w.line != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.doing = what
		w.draw()
		return
	}
	if phase, _, _ := strings.Cut(what, ","); phase != w.phase {
		if w.phase = phase; phase != "" {
			w.Say(phase)
		}
	}
}

// More implements measure.Watch.
func (w *Gate) More(runs int, each time.Duration) { w.more(runs, time.Duration(runs)*each) }

// Ran implements measure.Watch.
func (w *Gate) Ran(runs int, each time.Duration) { w.advance(runs, time.Duration(runs)*each) }

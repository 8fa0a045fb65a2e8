package cli

import (
	"io"
	"strings"
	"time"
)

// A gateWatch tells how far a gate is, as progress does for runs: it learns of them as it goes.
type gateWatch struct {
	*progress
	phase string // that was told of last
}

func newGateWatch(to io.Writer, quiet bool) *gateWatch {
	return &gateWatch{progress: newProgress(to, quiet, nil)}
}

// Say implements measure.Watch.
func (w *gateWatch) Say(line string) { w.say(line) }

// Doing implements measure.Watch: on a terminal with the numbers, elsewhere a line for each
// phase.
func (w *gateWatch) Doing(what string) {
	if w.line != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.doing = what
		w.draw()
		return
	}
	if phase, _, _ := strings.Cut(what, ","); phase != w.phase {
		if w.phase = phase; phase != "" {
			w.say(phase)
		}
	}
}

// More implements measure.Watch.
func (w *gateWatch) More(runs int, each time.Duration) { w.more(runs, time.Duration(runs)*each) }

// Ran implements measure.Watch.
func (w *gateWatch) Ran(runs int, each time.Duration) { w.advance(runs, time.Duration(runs)*each) }

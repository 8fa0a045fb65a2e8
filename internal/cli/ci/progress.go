package ci

import (
	"io"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// The number of a gate's runs grows.
type progress struct {
	*terminal.Progress
	phase string // last reported phase
}

func newProgress(to io.Writer, quiet bool) *progress {
	return &progress{Progress: terminal.NewProgress(to, quiet, 0, 0)}
}

func (w *progress) Doing(what string) {
	if w.Progress.Doing(what) {
		return
	}
	if phase, _, _ := strings.Cut(what, ","); phase != w.phase {
		if w.phase = phase; phase != "" {
			w.Println(phase)
		}
	}
}

func (w *progress) More(runs int, each time.Duration) { w.Add(runs, time.Duration(runs)*each) }

func (w *progress) Ran(runs int, each time.Duration) { w.Advance(runs, time.Duration(runs)*each) }

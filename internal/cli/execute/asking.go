package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// Ask asks a soak for what it has so far, ever less often and for the first time after that pause,
// until end.
func Ask(p *bench.Progress, first time.Duration, soFar func(*bench.Result)) (end func()) {
	a := newAsking(p, first)
	return pace.Every(bench.PulseInterval, func() {
		if r := a.hear(); r != nil {
			soFar(r)
		}
	})
}

// An asking asks a soak.
type asking struct {
	of    *bench.Progress
	next  time.Time
	pause time.Duration
}

// longestPause is how much of a soak a kill loses.
const longestPause = 10 * time.Second

func newAsking(p *bench.Progress, first time.Duration) *asking {
	return &asking{of: p, next: time.Now().Add(first), pause: first}
}

// hear is called again and again; it returns nil where it has heard nothing new.
func (a *asking) hear() *bench.Result {
	if time.Now().Before(a.next) {
		return nil
	}
	r := a.of.SoFar()
	if r != nil {
		a.next, a.pause = time.Now().Add(a.pause), min(2*a.pause, longestPause)
	}
	return r
}

package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/progress"
)

// Ask requests the interim results of a soak until end is called. It first waits for the given
// time, and then for growing times.
func Ask(p *progress.Tracker, first time.Duration, soFar func(*bench.Result)) (end func()) {
	a := newAsking(p, first)
	return pace.Every(progress.Interval, func() {
		if r := a.poll(); r != nil {
			soFar(r)
		}
	})
}

type interimRequests struct {
	of    *progress.Tracker
	next  time.Time
	pause time.Duration
}

// A kill can lose at most longestPause of a soak.
const longestPause = 10 * time.Second

func newAsking(p *progress.Tracker, first time.Duration) *interimRequests {
	return &interimRequests{of: p, next: time.Now().Add(first), pause: first}
}

// poll returns nil if there is nothing new.
func (a *interimRequests) poll() *bench.Result {
	if time.Now().Before(a.next) {
		return nil
	}
	r := a.of.SoFar()
	if r != nil {
		a.next, a.pause = time.Now().Add(a.pause), min(2*a.pause, longestPause)
	}
	return r
}

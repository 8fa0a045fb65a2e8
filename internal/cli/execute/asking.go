package execute

import (
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// Ask requests the interim results of a soak until end: first after that pause, then less and less
// often.
func Ask(p *bench.Progress, first time.Duration, soFar func(*bench.Result)) (end func()) {
	a := newAsking(p, first)
	return pace.Every(bench.PulseInterval, func() {
		if r := a.hear(); r != nil {
			soFar(r)
		}
	})
}

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

// hear is called repeatedly. It returns nil if there is nothing new.
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

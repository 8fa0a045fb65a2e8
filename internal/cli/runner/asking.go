package runner

import (
	"time"

	"github.com/poolbench/poolbench/bench"
)

// An Asking asks a soak for what it has so far, ever less often.
type Asking struct {
	of    *bench.Progress
	next  time.Time
	pause time.Duration
}

// longestPause is how much of a soak a kill loses.
const longestPause = 10 * time.Second

// NewAsking asks for the first time after that pause.
func NewAsking(p *bench.Progress, first time.Duration) *Asking {
	return &Asking{of: p, next: time.Now().Add(first), pause: first}
}

// Hear is called again and again; it returns nil where it has heard nothing new.
func (a *Asking) Hear() *bench.Result {
	if time.Now().Before(a.next) {
		return nil
	}
	r := a.of.SoFar()
	if r != nil {
		a.next, a.pause = time.Now().Add(a.pause), min(2*a.pause, longestPause)
	}
	return r
}

package attack

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// A plan says when each request is due. It is a pure function of the attack: every plan of it says
// the same.
type plan struct {
	arrivals arrivals.Next
	left     int   // requests; -1: any number
	until    int64 // 0: for ever
	back     bool  // the last one was given back
	last     int64
}

func (a Attack) plan() *plan {
	next, err := a.Arrival.Spec.Open(a.Rate, a.Seed, a.Arrival.Values)
	if err != nil {
		panic(fmt.Sprintf("attack: ParseVariant let an arrival pass: %v", err))
	}
	p := &plan{arrivals: next, left: -1, until: int64(a.Duration)}
	if a.Tasks > 0 {
		p.left = a.Tasks
	}
	return p
}

// next returns when the next request is due, in ns from the start; ok is false when there is none.
func (p *plan) next() (due int64, ok bool) {
	switch {
	case p.back:
		p.back = false
		return p.last, true
	case p.left == 0:
		return 0, false
	}
	p.last = int64(p.arrivals())
	if p.until > 0 && p.last > p.until {
		p.left = 0
		return 0, false
	}
	if p.left > 0 {
		p.left--
	}
	return p.last, true
}

// giveBack makes next return the last one again.
func (p *plan) giveBack() { p.back = true }

// planned is how many requests there are, and when the last one is due. It costs some 20 ns a
// request. More than MaxTasks are not counted.
func (a Attack) planned() (n int, last time.Duration) {
	for p := a.plan(); n <= arrivals.MaxTasks; n++ {
		due, ok := p.next()
		if !ok {
			break
		}
		last = time.Duration(due)
	}
	return n, last
}

// A clock counts nanoseconds from the start of the attack.
type clock struct{ base time.Time }

func (c clock) now() int64 { return int64(time.Since(c.base)) }

package attack

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// A plan says when each request is due. It is a pure function of the attack: every plan of it says the same.
type plan struct {
	arrivals arrivals.Next
	left     int // requests, -1: any number
	until    int64
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
	if p.left == 0 {
		return 0, false
	}
	due = int64(p.arrivals())
	if p.until > 0 && due >= p.until {
		p.left = 0
		return 0, false
	}
	if p.left > 0 {
		p.left--
	}
	return due, true
}

// dues finds the due times of requests that come in another order than that of their sequence numbers. It holds those that have been passed
// over: fewer than were in flight.
type dues struct {
	plan   *plan
	seq    uint64 // of the plan's next
	passed map[uint64]int64
}

func (a Attack) dues() *dues { return &dues{plan: a.plan(), passed: map[uint64]int64{}} }

// of is asked once for each sequence number.
func (d *dues) of(seq uint64) int64 {
	if seq < d.seq {
		due := d.passed[seq]
		delete(d.passed, seq)
		return due
	}
	for {
		due, ok := d.plan.next()
		if !ok {
			panic(fmt.Sprintf("attack: request %d is not in the plan", seq))
		}
		d.seq++
		if d.seq > seq {
			return due
		}
		d.passed[d.seq-1] = due
	}
}

// A clock counts nanoseconds from the start of the attack.
type clock struct{ base time.Time }

func (c clock) now() int64 { return int64(time.Since(c.base)) }

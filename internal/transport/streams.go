package transport

import (
	"context"
	"os"
	"time"
)

// Default is assumed if the server announces no limit. It is the minimum that a server should allow
// (RFC 9113, 6.5.2), and net/http assumes the same.
const Default = 100

// A Dealer assigns calls to connections. With a fixed number of connections it chooses the least
// loaded one, round robin. Otherwise it chooses the first with room, or a new one.
type Dealer struct {
	connections, most int // 0 means no limit
	// last limit of a server, assumed for connections without their own; 0 means none
	announced int
	limits    map[int]int

	Waiting[int] // calls that wait for a connection with room
	carries      []int
	next         int // next connection of the round robin
}

// In NewDealer, 0 connections means no limit, and 0 streams means Default.
func NewDealer(connections, streams int) *Dealer {
	if streams == 0 {
		streams = Default
	}
	return &Dealer{connections: connections, most: streams,
		carries: make([]int, connections), limits: map[int]int{}}
}

// Acquire waits for a connection with room. The caller returns it with Give.
func (d *Dealer) Acquire(ctx context.Context, deadline time.Time) (int, error) {
	d.Lock()
	return d.acquire(ctx, deadline)
}

// The caller of take holds the lock, and take releases it.
func (d *Dealer) acquire(ctx context.Context, deadline time.Time) (int, error) {
	if at := d.room(); at >= 0 {
		d.carries[at]++
		d.Unlock()
		return at, nil
	}
	return d.Await(ctx, deadline, errNoneFree, d.Release)
}

// Keep returns at, or another connection if connection at has more calls than its server allows.
// After an error the caller has no connection.
func (d *Dealer) Keep(ctx context.Context, deadline time.Time, at int) (int, error) {
	d.Lock()
	if d.carries[at] <= d.limit(at) {
		d.Unlock()
		return at, nil
	}
	d.carries[at]--
	return d.acquire(ctx, deadline)
}

func (d *Dealer) Fits(at int) bool {
	d.Lock()
	defer d.Unlock()
	return d.carries[at] <= d.limit(at)
}

// Limit sets how many concurrent streams the server allows on the connection. 0 means any number.
func (d *Dealer) Limit(at, streams int) {
	d.Lock()
	defer d.Unlock()
	if d.announced = streams; streams == 0 {
		delete(d.limits, at)
	} else {
		d.limits[at] = streams
	}
	for at < len(d.carries) && d.carries[at] < d.limit(at) && d.Next(at) {
		d.carries[at]++
	}
}

func (d *Dealer) limit(at int) int {
	limit, known := d.limits[at]
	if !known {
		limit = d.announced
	}
	if limit == 0 {
		return d.most
	}
	return min(limit, d.most)
}

// errNoneFree counts as a timeout.
var errNoneFree = noStreamError{}

type noStreamError struct{}

func (noStreamError) Error() string { return "no stream became free in time" }
func (noStreamError) Unwrap() error { return os.ErrDeadlineExceeded }
func (noStreamError) Timeout() bool { return true }

func (d *Dealer) room() int {
	best := -1
	for i := range d.carries {
		at := (d.next + i) % len(d.carries)
		if n := d.carries[at]; n < d.limit(at) && (best < 0 || n < d.carries[best]) {
			if best = at; n == 0 || d.connections == 0 {
				break
			}
		}
	}
	if best >= 0 && d.connections > 0 {
		d.next = best + 1
	}
	if best < 0 && d.connections == 0 {
		d.carries = append(d.carries, 0)
		best = len(d.carries) - 1
	}
	return best
}

func (d *Dealer) Release(at int) {
	if at < 0 {
		return
	}
	d.Lock()
	defer d.Unlock()
	if d.carries[at] > d.limit(at) || !d.Next(at) {
		d.carries[at]--
	}
}

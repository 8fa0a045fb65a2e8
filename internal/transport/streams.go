package transport

import (
	"context"
	"os"
	"time"
)

// Default is the number of streams if the server announces none: the minimum that a server should
// allow (RFC 9113, 6.5.2), and net/http's initial assumption.
const Default = 100

// A Dealer assigns calls to connections, numbered from 0. With a fixed number it takes the least
// loaded one, round robin. Otherwise it takes the first with room, or a new one.
type Dealer struct {
	connections, most int // 0: no limit

	Waiting[int] // for a connection with room
	carries      []int
	next         int // of the round robin
}

// NewDealer returns a Dealer of that many connections, 0 for no limit, and streams on each.
func NewDealer(connections, streams int) *Dealer {
	if streams == 0 {
		streams = Default
	}
	return &Dealer{connections: connections, most: streams,
		carries: make([]int, connections)}
}

// Take returns a connection with room. It waits until the deadline or until ctx ends. Return the
// connection with Give.
func (d *Dealer) Take(ctx context.Context, deadline time.Time) (int, error) {
	d.Lock()
	if at := d.room(); at >= 0 {
		d.carries[at]++
		d.Unlock()
		return at, nil
	}
	return d.Await(ctx, deadline, errNoneFree, d.Give)
}

// errNoneFree is a timeout.
var errNoneFree = noneFree{}

type noneFree struct{}

func (noneFree) Error() string { return "no stream became free in time" }
func (noneFree) Unwrap() error { return os.ErrDeadlineExceeded }
func (noneFree) Timeout() bool { return true }

// room returns a connection with room, or a negative number.
func (d *Dealer) room() int {
	best := -1
	for i := range d.carries {
		at := (d.next + i) % len(d.carries)
		if n := d.carries[at]; n < d.most && (best < 0 || n < d.carries[best]) {
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

// Give returns a stream of the connection.
func (d *Dealer) Give(at int) {
	d.Lock()
	defer d.Unlock()
	if !d.Next(at) {
		d.carries[at]--
	}
}

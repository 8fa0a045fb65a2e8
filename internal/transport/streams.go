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
// loaded one, round robin. Otherwise it takes the first with room, or a new one. A connection
// carries as many calls as configured, or fewer if its server says so (Limit).
type Dealer struct {
	connections, most int // 0: no limit
	announced         int // the last limit of a server, for connections without one; 0: none
	limits            map[int]int

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
		carries: make([]int, connections), limits: map[int]int{}}
}

// Take returns a connection with room. It waits until the deadline or until ctx ends. Return the
// connection with Give.
func (d *Dealer) Take(ctx context.Context, deadline time.Time) (int, error) {
	d.Lock()
	return d.take(ctx, deadline)
}

// take is called with the lock, and releases it.
func (d *Dealer) take(ctx context.Context, deadline time.Time) (int, error) {
	if at := d.room(); at >= 0 {
		d.carries[at]++
		d.Unlock()
		return at, nil
	}
	return d.Await(ctx, deadline, errNoneFree, d.Give)
}

// Keep returns the connection at, or another one if more calls are assigned to it than its server
// allows. After an error the caller has none.
func (d *Dealer) Keep(ctx context.Context, deadline time.Time, at int) (int, error) {
	d.Lock()
	if d.carries[at] <= d.limit(at) {
		d.Unlock()
		return at, nil
	}
	d.carries[at]--
	return d.take(ctx, deadline)
}

// Fits reports whether the server of the connection allows all calls that are assigned to it.
func (d *Dealer) Fits(at int) bool {
	d.Lock()
	defer d.Unlock()
	return d.carries[at] <= d.limit(at)
}

// Limit sets how many streams the server allows at once on that connection; 0: any number. A limit
// of 0 streams counts as one, which waits for a higher limit.
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

// Give returns a stream of the connection; below 0: none.
func (d *Dealer) Give(at int) {
	if at < 0 {
		return
	}
	d.Lock()
	defer d.Unlock()
	if d.carries[at] > d.limit(at) || !d.Next(at) {
		d.carries[at]--
	}
}

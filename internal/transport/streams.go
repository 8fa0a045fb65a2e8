package transport

import (
	"context"
	"os"
	"time"
)

// Default is the number of streams of a connection if the server announces none: the least that a
// server should allow (RFC 9113, 6.5.2), and net/http's assumption before the announcement.
const Default = 100

// A Dealer says which connection a call goes over, by a number from 0. With a fixed number of
// connections it is the one that carries least, in turns; without, the first that has room, or one
// more.
type Dealer struct {
	connections, most int // 0: as many as it takes

	Waiting[int] // for a connection with room
	carries      []int
	next         int // whose turn it is
}

// NewDealer is for so many connections, 0 being as many as it takes, of so many streams each.
func NewDealer(connections, streams int) *Dealer {
	if streams == 0 {
		streams = Default
	}
	return &Dealer{connections: connections, most: streams,
		carries: make([]int, connections)}
}

// Take is a connection with room. It waits for one until the deadline, or until ctx ends. Each is
// to be given back.
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

// room is a connection that has some; below 0: there is none.
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

// Give has the next call go over that connection.
func (d *Dealer) Give(at int) {
	d.Lock()
	defer d.Unlock()
	if !d.Next(at) {
		d.carries[at]--
	}
}

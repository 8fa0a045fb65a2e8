package recursion

import "math"

// The zero Pace has no limit.
type Pace struct {
	Every float64 // nanoseconds from one start to the next; 0 means no limit
	// the largest number of unused starts that a token bucket keeps; 0: a ticker, which keeps only
	// its last tick and ticks on schedule
	Kept int
}

type pacer struct {
	Pace
	// token bucket: time at which the bucket is full again; ticker: index of the last tick used
	next float64
}

// start uses up the next allowed start at or after at. Calls must be in ascending order of at.
func (p *pacer) start(at int64) int64 {
	switch {
	case p.Every == 0:
		return at
	case p.Kept == 0:
		if tick := math.Floor(float64(at) / p.Every); tick > p.next {
			p.next = tick
			return at
		}
		p.next++
		return int64(p.next * p.Every)
	}
	// virtual scheduling of the generic cell rate algorithm (ITU-T I.371)
	begin := max(float64(at), p.next-float64(p.Kept-1)*p.Every)
	p.next = max(begin, p.next) + p.Every
	return int64(begin) // truncated like golang.org/x/time/rate
}

// A Freeze describes the target freeze. At the end of each Period, counted from the first start, no
// task begins and none returns for the duration Stop, while tasks in their slots continue.
type Freeze struct{ Period, Stop int64 }

func (f Freeze) thaw(at int64) int64 {
	if f.Period == 0 {
		return at
	}
	if left := f.Period - at%f.Period; left <= f.Stop {
		return at + left
	}
	return at
}

// A Gate decides about a task that is about to begin at time at, counted from the first start. It
// returns how long the task waits in its slot, or false if it is refused at once.
type Gate func(at int64) (wait int64, admitted bool)

// A full queue blocks, so bounded sheds no tasks.
func (p *Pool) bounded(due, service []int64) {
	if cap(p.heldBuffer) < len(due) {
		p.heldBuffer = make([]int64, len(due))
	}
	p.held = p.heldBuffer[:len(due)]
	pace := pacer{Pace: p.Pace}
	last, origin := int64(0), int64(0)
	for i, d := range due {
		last = pace.start(max(d, last, p.slots.Next()))
		if i == 0 {
			origin = last
		}
		begun := p.Freeze.thaw(last - origin)
		if p.Gate != nil {
			wait, admitted := p.Gate(begun)
			if !admitted {
				p.responses[i], p.held[i] = Refused, 0
				continue
			}
			begun += wait
		}
		e := origin + p.Freeze.thaw(begun+service[i])
		p.held[i] = e - last
		p.slots.Start(last, p.held[i])
		p.responses[i] = e - d
	}
}

// Occupied returns how long each task held its slot, with the delays of a Gate or a Freeze.
func (p *Pool) Occupied() []int64 { return p.held }

package recursion

import "math"

// A Pace bounds the rate of starts in addition to the slots: a task starts when it is at the head
// of the queue, has a slot, and a start is available. The zero Pace bounds nothing.
type Pace struct {
	Every float64 // nanoseconds from one start to the next; 0: no bound
	// Kept is the largest number of unused starts kept, as tokens in a bucket. 0 stands for the ticks
	// of a clock, which keeps the last one, and whose next comes on schedule.
	Kept int
}

type pacer struct {
	Pace
	next float64 // token bucket: when the bucket is full again; clock: the last tick used
}

// start returns when a task starts that could start at that instant, and uses the start. Instants
// must not descend.
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
	// the virtual scheduling of the generic cell rate algorithm (ITU-T I.371)
	begin := max(float64(at), p.next-float64(p.Kept-1)*p.Every)
	p.next = max(begin, p.next) + p.Every
	return int64(begin) // as in golang.org/x/time/rate
}

// A Freeze describes target freeze, counted from the first start: at the end of each Period, for
// Stop, no task begins and none returns, while tasks in their slots continue. The zero Freeze does
// nothing.
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

// A Gate decides about a task that is about to begin, counted from the first start: its wait in its
// slot, or its refusal, which takes no time. Instants do not descend.
type Gate func(at int64) (wait int64, admitted bool)

// bounded accepts all tasks of a pool with a Pace, a Freeze or a Gate: a full queue blocks.
func (p *Pool) bounded(due, service []int64) {
	if cap(p.longer) < len(due) {
		p.longer = make([]int64, len(due))
	}
	p.held = p.longer[:len(due)]
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
		p.slots.Take(last, p.held[i])
		p.responses[i] = e - d
	}
}

// Occupied returns how long each task had its slot: its service, and the additional time of a
// Freeze.
func (p *Pool) Occupied() []int64 { return p.held }

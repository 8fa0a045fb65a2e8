package strategies

import (
	"fmt"
	"time"
)

// A Lane is one of the pools of a strategy that separates tasks: so many places for the tasks of a
// class.
type Lane struct {
	Class Class
	Limit int
}

// A ClassLoad is what arrives of one class: Rate tasks a second, which take Mean each when they
// run.
type ClassLoad struct {
	Class Class
	Rate  float64
	Mean  time.Duration
}

// A LaneLoad is how much of a lane's places an offered load keeps busy.
type LaneLoad struct {
	Lane
	Utilisation float64 // rate × mean / limit; at 1 and above the queue grows without end
}

// Stable says whether the lane can keep up.
func (l LaneLoad) Stable() bool { return l.Utilisation < 1 }

// String gives the utilisation on one line, with the word unstable where no measurement means
// anything.
func (l LaneLoad) String() string {
	s := fmt.Sprintf("%v %d: utilisation %.3g", l.Class, l.Limit, l.Utilisation)
	if !l.Stable() {
		s += ", unstable"
	}
	return s
}

// LaneLoads computes the utilisation of each lane, and last, as AnyClass, that of all places
// together. A class without a lane takes any place, so it counts there only: if some is offered,
// that last one can be unstable while no lane is.
//
// It is exact, whatever the distributions and the arrivals: a lane of k places does at most k
// seconds of work a second. So an overloaded lane is known without a measurement; and a measurement
// of it only says how long it was.
func LaneLoads(lanes []Lane, offered []ClassLoad) []LaneLoad {
	all := LaneLoad{Lane: Lane{Class: AnyClass}}
	loads := make([]LaneLoad, 0, len(lanes)+1)
	for _, l := range lanes {
		all.Limit += l.Limit
		work := 0.0
		for _, o := range offered {
			if o.Class == l.Class {
				work += o.work()
			}
		}
		loads = append(loads, LaneLoad{l, work / float64(l.Limit)})
	}
	for _, o := range offered {
		all.Utilisation += o.work() / float64(all.Limit)
	}
	return append(loads, all)
}

// work is how many seconds of work arrive in a second.
func (o ClassLoad) work() float64 { return o.Rate * o.Mean.Seconds() }

// String names the class in lower case, as parameters and metrics do.
func (c Class) String() string {
	switch c {
	case AnyClass:
		return "any"
	case Short:
		return "short"
	case Long:
		return "long"
	case CPU:
		return "cpu"
	case IO:
		return "io"
	}
	return fmt.Sprintf("class %d", uint8(c))
}

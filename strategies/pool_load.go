package strategies

import (
	"fmt"
	"time"
)

// A ClassPool is one of the pools of a strategy that separates tasks: so many slots for the tasks
// of a class.
type ClassPool struct {
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

// A PoolLoad is how much of a pool's slots an offered load keeps busy.
type PoolLoad struct {
	ClassPool
	Utilisation float64 // rate × mean / limit; at 1 and above the queue grows without end
}

// Stable says whether the pool can keep up.
func (l PoolLoad) Stable() bool { return l.Utilisation < 1 }

// String gives the utilisation on one line, with the word unstable where no measurement means
// anything.
func (l PoolLoad) String() string {
	s := fmt.Sprintf("%v %d: utilisation %.3g", l.Class, l.Limit, l.Utilisation)
	if !l.Stable() {
		s += ", unstable"
	}
	return s
}

// PoolLoads computes the utilisation of each pool, and last, as AnyClass, that of all slots
// together. A class without a pool takes any slot, so it counts there only: if some is offered,
// that last one can be unstable while no pool is.
//
// It is exact, whatever the distributions and the arrivals: a pool of k slots does at most k
// seconds of work a second. So an overloaded pool is known without a measurement; and a measurement
// of it only says how long it was.
func PoolLoads(pools []ClassPool, offered []ClassLoad) []PoolLoad {
	all := PoolLoad{ClassPool: ClassPool{Class: AnyClass}}
	loads := make([]PoolLoad, 0, len(pools)+1)
	for _, l := range pools {
		all.Limit += l.Limit
		work := 0.0
		for _, o := range offered {
			if o.Class == l.Class {
				work += o.work()
			}
		}
		loads = append(loads, PoolLoad{l, work / float64(l.Limit)})
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
	names := [...]string{AnyClass: "any", Short: "short", Long: "long", CPU: "cpu", IO: "io"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

package strategies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
)

// A ClassPool has Limit slots for the tasks of Class.
type ClassPool struct {
	Class Class
	Limit int
}

// A ClassLoad is the offered load of one class: Rate tasks per second with mean service time Mean.
type ClassLoad struct {
	Class Class
	Rate  float64
	Mean  time.Duration
}

// A PoolLoad is the utilisation of a pool under an offered load.
type PoolLoad struct {
	ClassPool
	Utilisation float64 // rate × mean / limit; at 1 and above the queue grows without limit
}

// Stable reports whether the utilisation is below 1.
func (l PoolLoad) Stable() bool { return l.Utilisation < 1 }

func (l PoolLoad) String() string {
	s := fmt.Sprintf("%v %d: utilisation %.3g", l.Class, l.Limit, l.Utilisation)
	if !l.Stable() {
		s += ", unstable"
	}
	return s
}

// PoolLoads returns the utilisation of each pool and then, as AnyClass, of all slots together. A
// class without a pool counts only in the last value. The result holds for all distributions.
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

func (o ClassLoad) work() float64 { return o.Rate * o.Mean.Seconds() }

// String returns the class in lower case, as in parameters and metrics.
func (c Class) String() string {
	names := [...]string{AnyClass: "any", Short: metric.ClassShort, Long: metric.ClassLong,
		CPU: metric.ClassCPU, IO: metric.ClassIO}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

package bench

import "container/heap"

// A replay is the path-wise oracle: the run's own due times and realised service times put through the Kiefer–Wolfowitz
// recursion, which says when each task starts in a perfect FIFO, work-conserving system with as many places. There is no
// sampling error in it. Under the virtual clock the run must equal it to the nanosecond; under the real one the difference
// is the strategy's overhead.
type replay struct {
	done     bool    // it applies to this run, and was made
	meanWait float64 // of the measured tasks, in nanoseconds
	maxDiff  int64   // largest |start − oracle's start|
	worst    int     // index of that task
}

// replay applies to strategies that declare FIFO and work conservation, on runs in which every accepted task ran once.
// The mean is taken over the tasks from first on; the recursion runs over all.
func (o *observation) replay(first int) (p replay) {
	spec, bound := o.scenario.Strategy.Spec, o.bound()
	if !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil || bound == 0 {
		return p
	}
	free := make(instants, bound)
	places := heap.Interface(free) // once: each conversion would allocate
	previous, sum, n := int64(-1), 0.0, 0
	for i := range o.trace.n {
		r := o.trace.at(i)
		if !r.accepted() {
			continue
		}
		if r.attempts != 1 {
			return replay{} // never ran, or ran again: not a plain FIFO path
		}
		if len(o.trace.order) > 0 && r.due == previous {
			return replay{} // clients that come at one instant: their order is nobody's fault
		}
		previous = r.due
		start := max(r.due, free[0])
		free[0] = start + r.busy
		heap.Fix(places, 0)
		if i >= first {
			sum += float64(start - r.due)
			n++
		}
		if diff := max(r.start-start, start-r.start); diff > p.maxDiff {
			p.maxDiff, p.worst = diff, i
		}
	}
	if n > 0 {
		p.meanWait = sum / float64(n)
	}
	p.done = true
	return p
}

// instants is a heap of the instants at which the places become free.
type instants []int64

func (h instants) Len() int           { return len(h) }
func (h instants) Less(i, j int) bool { return h[i] < h[j] }
func (h instants) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h instants) Push(any)           { panic("bench: the number of places is fixed") }
func (h instants) Pop() any           { panic("bench: the number of places is fixed") }

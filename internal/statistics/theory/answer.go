package theory

import (
	"fmt"
	"math"
)

// An Answer is the steady state of a queue. All fields except ShedProb describe accepted tasks. If
// tasks give up, all fields except GaveUpProb describe tasks that started.
type Answer struct {
	Model      string // in Kendall's notation, such as M/H2/4
	Throughput float64
	// the mean number of tasks in service: by Little's law Throughput·E[S]
	MeanInFlight float64
	WaitProb     float64 // P(W > 0): share of tasks that wait
	MeanWait     float64 // E[W], including tasks that do not wait
	MeanResponse float64 // E[T] = E[W] + E[S]
	ShedProb     float64
	GaveUpProb   float64 // share of arrivals that give up while they wait; 0 if all are patient

	wait, response *law // nil if the model gives means only
}

func Must(a *Answer, err error) *Answer {
	if err != nil {
		panic(err)
	}
	return a
}

// P99 returns the p99 response, or NaN if the model has only means.
func (a *Answer) P99() float64 {
	if t, ok := a.ResponseQuantile(0.99); ok {
		return t
	}
	return math.NaN()
}

// WaitQuantile returns the q-quantile of the wait, to about ten digits. ok is false if the model
// has only means. It panics unless 0 ≤ q < 1.
func (a *Answer) WaitQuantile(q float64) (t float64, ok bool) { return a.wait.quantile(q) }

func (a *Answer) ResponseQuantile(q float64) (t float64, ok bool) { return a.response.quantile(q) }

// WaitTail returns P(W > t). ok is false if the model has only means.
func (a *Answer) WaitTail(t float64) (prob float64, ok bool) { return a.wait.above(t) }

func (a *Answer) ResponseTail(t float64) (prob float64, ok bool) { return a.response.above(t) }

// law is the distribution of a time X = unit·(from + Y), where Y ≥ 0 may have an atom at 0 and is
// continuous above 0. For the response of M/D/k, from = 1 excludes the jump at E[S] from the search
// for a quantile.
type law struct {
	unit float64                 // E[S] in the caller's unit
	from float64                 // smallest value, in units
	tail func(y float64) float64 // P(Y > y) for y ≥ 0, decreasing to 0
	mean float64                 // any positive scale of Y; the search for a quantile starts there
}

func (l *law) above(t float64) (float64, bool) {
	switch {
	case l == nil:
		return 0, false
	case math.IsNaN(t):
		panic("theory: tail at NaN")
	case t < l.unit*l.from:
		return 1, true
	case math.IsInf(t, 1):
		return 0, true
	}
	return l.tail(max(0, t/l.unit-l.from)), true
}

func (l *law) quantile(q float64) (float64, bool) {
	if !(0 <= q && q < 1) {
		panic(fmt.Sprintf("theory: quantile %v is outside [0, 1)", q))
	}
	if l == nil {
		return 0, false
	}
	p := 1 - q
	if l.tail(0) <= p {
		return l.unit * l.from, true
	}
	excess := func(y float64) float64 { return math.Log(l.tail(y) / p) }
	lo, hi := 0.0, l.mean
	for excess(hi) > 0 {
		lo, hi = hi, 2*hi
	}
	return l.unit * (l.from + root(excess, lo, hi)), true
}

func zeroLaw() *law {
	return &law{unit: 1, tail: func(float64) float64 { return 0 }}
}

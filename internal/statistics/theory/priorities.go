package theory

import (
	"fmt"
	"math"
)

// PriorityMMk returns the answer for the non-preemptive priority queue M/M/k, and the mean wait of
// each class. shares are the classes' shares of the arrivals, the most urgent class first. All
// classes have the same service times.
//
// Source: A. Cobham (1954): W_i = W_0/((1−σ_{i−1})(1−σ_i)), where σ_i is the load of the classes up
// to i. W_0 = C·E[S]/k is the mean time until an arrival finds a free slot, where C is Erlang's C.
func PriorityMMk(p Pool, shares []float64) (a *Answer, waits []float64, err error) {
	all, err := MMk(p)
	if err != nil {
		return nil, nil, err
	}
	waits, err = cobham(all.WaitProb*p.MeanService/float64(p.Limit), p.Utilisation(), shares)
	if err != nil {
		return nil, nil, err
	}
	return InAnyOrder(all), waits, nil
}

// PriorityMG1 is PriorityMMk for one slot and service times of squared coefficient of variation c2.
// W_0 is λE[S²]/2.
func PriorityMG1(p Pool, c2 float64, shares []float64) (a *Answer, waits []float64, err error) {
	all, err := MG1(p, c2)
	if err != nil {
		return nil, nil, err
	}
	first := p.Rate * p.MeanService * p.MeanService * (1 + c2) / 2
	waits, err = cobham(first, p.Utilisation(), shares)
	return InAnyOrder(all), waits, err
}

// InAnyOrder returns the means for any order of service that does not depend on service times.
func InAnyOrder(all *Answer) *Answer {
	a := *all
	a.Model += " in any order"
	a.wait, a.response = nil, nil
	return &a
}

func cobham(first, load float64, shares []float64) (waits []float64, err error) {
	sum := 0.0
	for _, share := range shares {
		if !(share > 0) {
			return nil, fmt.Errorf("theory: the share of a class must be positive, got %v", share)
		}
		sum += share
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("theory: the shares of the classes sum to %v", sum)
	}
	before := 0.0
	for _, share := range shares {
		upTo := before + load*share
		waits = append(waits, first/((1-before)*(1-upTo)))
		before = upTo
	}
	return waits, nil
}

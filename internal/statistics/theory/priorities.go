package theory

import (
	"fmt"
	"math"
)

// PriorityMMk is the queue M/M/k whose tasks are of classes, the most urgent first, of which the
// slots take the most urgent task first, and interrupt none: Answer is that of all tasks, and waits
// are the mean waits of the classes. share is that of each in the arrivals; service times are the
// same for all.
//
// Source: A. Cobham (1954): W_i = W_0/((1−σ_{i−1})(1−σ_i)), where σ_i is the load of the classes up
// to i, and W_0 = C·E[S]/k the mean time until a slot is free for one that comes: C, Erlang's, is
// the probability that all are taken.
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

// PriorityMG1 is PriorityMMk for one slot and service times of any distribution with squared
// coefficient of variation c2, the same for all classes. W_0 = λE[S²]/2.
func PriorityMG1(p Pool, c2 float64, shares []float64) (a *Answer, waits []float64, err error) {
	all, err := MG1(p, c2)
	if err != nil {
		return nil, nil, err
	}
	first := p.Rate * p.MeanService * p.MeanService * (1 + c2) / 2
	waits, err = cobham(first, p.Utilisation(), shares)
	return InAnyOrder(all), waits, err
}

// InAnyOrder is what holds of all tasks in whatever order they are served, as long as that does not
// depend on their service times: all but distributions.
func InAnyOrder(all *Answer) *Answer {
	a := *all
	a.Model += " in any order"
	a.wait, a.response = nil, nil
	return &a
}

// cobham are the waits of classes with these shares of the load.
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

package theory

import (
	"fmt"
)

const maxWaiting = 10_000_000

// MMkM returns the answer for the queue M/M/k+M (Erlang A): exponential service times, and a
// waiting task gives up after an exponential time with mean patience. Overload is not an error. A
// task that finds j others waiting starts with probability kµ/(kµ + (j+1)θ), with µ = 1/E[S] and θ
// = 1/patience, independently of its wait.
//
// Source: C. Palm, Tele 1957; O. Garnett, A. Mandelbaum and M. Reiman, Designing a call center with
// impatient customers, Manufacturing & Service Operations Management 4(3), 2002.
func MMkM(p Pool, patience float64) (*Answer, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if err := positive("patience", patience); err != nil {
		return nil, err
	}
	a, k, phi := p.Offered(), float64(p.Limit), p.MeanService/patience

	// state is the relative probability of j waiting tasks. The sums are the arrivals that wait,
	// the arrivals that wait and start, and the waits of the latter.
	state, idle := erlangB(p.Limit, a)
	var waits, started, wait float64
	ahead := 0.0 // mean wait of a task that finds j others waiting and starts
	for j := 0; ; j++ {
		rate := k + float64(j+1)*phi
		ahead += 1 / rate
		waits += state
		started += state * k / rate
		wait += state * k / rate * ahead
		state *= a / rate
		if rate > a && state*rate*ahead <= 1e-17*min(waits, wait) {
			break
		}
		if j == maxWaiting {
			return nil, fmt.Errorf("theory: M/M/%d+M: more than %d tasks wait", p.Limit, maxWaiting)
		}
		if waits > 1e200 { // rescale to avoid overflow; only ratios are used
			state, idle, waits, started, wait = state/1e200, idle/1e200, waits/1e200,
				started/1e200, wait/1e200
		}
	}
	through := idle + started
	answer := p.answer(fmt.Sprintf("M/M/%d+M", p.Limit), started/through, wait/through, nil, nil)
	answer.GaveUpProb = (waits - started) / (idle + waits)
	answer.Throughput = p.Rate * through / (idle + waits)
	answer.MeanInFlight = a * through / (idle + waits)
	return answer, nil
}

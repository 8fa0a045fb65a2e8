package theory

import "fmt"

// MMkK returns the answer for the queue M/M/k/K with K = Limit + queue: an arrival that finds queue
// tasks waiting is shed. Overload is not an error.
func MMkK(p Pool, queue int) (*Answer, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if queue < 0 {
		return nil, fmt.Errorf("theory: queue must be at least 0, got %d", queue)
	}
	a := p.Offered()
	rho := p.Utilisation()

	// state[j] is the relative probability of k+j tasks in the system, idle of fewer than k.
	// Computing the states from the larger end avoids overflow.
	busy, idle := erlangB(p.Limit, a)
	state := make([]float64, queue+1)
	if rho <= 1 {
		state[0] = busy
		for j := 1; j <= queue; j++ {
			state[j] = state[j-1] * rho
		}
	} else {
		state[queue] = busy
		for j := queue; j > 0; j-- {
			state[j-1] = state[j] / rho
		}
		idle *= state[0] / busy
	}

	stages := append([]float64{idle}, state[:queue]...)
	w := newErlangMix(p.Limit, stages)
	accepted := sum(stages)
	through := accepted / (accepted + state[queue])
	answer := p.answer(fmt.Sprintf("M/M/%d/%d", p.Limit, p.Limit+queue), w.waitProb, w.meanWait,
		w.waitLaw(p.MeanService), w.responseLaw(p.MeanService))
	answer.Throughput, answer.MeanInFlight = p.Rate*through, a*through
	answer.ShedProb = state[queue] / (accepted + state[queue])
	return answer, nil
}

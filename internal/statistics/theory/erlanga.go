package theory

import (
	"fmt"
)

// mostWaiting bounds the states that MMkM adds up.
const mostWaiting = 10_000_000

// MMkM is the queue M/M/k+M, Erlang A: exponential service times, and a task that waits gives up
// after an exponential time with mean patience. Overload is no error. It takes as many steps as
// tasks wait.
//
// Everything but GaveUpProb speaks of the tasks that started. A task that finds j others waiting
// starts if the k slots and those j are through before it gives up, with probability
// kµ/(kµ + (j+1)θ), whatever its wait is.
//
// Source: C. Palm, Research on telephone traffic carried by full availability groups, Tele 1957;
// O. Garnett, A. Mandelbaum and M. Reiman, Designing a call center with impatient customers,
// Manufacturing & Service Operations Management 4(3), 2002.
func MMkM(p Pool, patience float64) (*Answer, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if err := positive("patience", patience); err != nil {
		return nil, err
	}
	a, k, phi := p.Offered(), float64(p.Limit), p.MeanService/patience

	// Sums over the weights of the states with j tasks waiting, relative to one another: of the
	// arrivals that wait, of those that start after it, and of the waits of these.
	state, idle := erlangB(p.Limit, a)
	var waits, started, wait float64
	ahead := 0.0 // mean time until j tasks and a slot are through, given that one does not give up
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
		if j == mostWaiting {
			return nil, fmt.Errorf("theory: M/M/%d+M: more than %d tasks wait", p.Limit, mostWaiting)
		}
		if waits > 1e200 { // only the ratios count
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

package theory

import "fmt"

// MGkk is the loss system M/G/k/k: no queue, an arrival that finds all k slots taken is shed. The
// share shed is Erlang's B whatever the distribution of the service time, of which only the mean
// matters; overload is no error here.
//
// Nothing accepted waits, so the response of an accepted task is its service time, whose
// distribution the model leaves open.
//
// Source: Erlang (1917); insensitivity: Sevastyanov (1957).
func MGkk(p Pool) (*Answer, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	lost, served := erlangB(p.Limit, p.Offered())
	answer := p.answer(fmt.Sprintf("M/G/%d/%[1]d", p.Limit), 0, 0, zeroLaw(), nil)
	answer.Throughput, answer.MeanInFlight = p.Rate*served, p.Offered()*served
	answer.ShedProb = lost
	return answer, nil
}

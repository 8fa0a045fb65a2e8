package theory

import "fmt"

// MGkk returns the answer for the loss system M/G/k/k: an arrival that finds all k slots taken is
// shed. Overload is not an error. The distribution of the service times is not part of the model.
//
// Source: Erlang (1917); that the shed share depends only on the mean: Sevastyanov (1957).
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

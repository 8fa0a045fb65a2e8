package theory

// MGInf ignores the Limit of p. The number in flight is Poisson with mean a for any distribution of
// service times.
func MGInf(p Pool) (*Answer, error) {
	p.Limit = 1
	if err := p.validate(); err != nil {
		return nil, err
	}
	return p.answer("M/G/∞", 0, 0, zeroLaw(), nil), nil
}

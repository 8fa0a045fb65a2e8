package evidence

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

// A Ruling tests a claim case by case. In each case, the claim limits a number with a 95 %
// interval. The case is decided only if all of the interval is on one side of the limit.
//
// The claim holds if it is met in each case, and does not hold if it is met in none. As all cases
// have to agree, either verdict is wrong in at most one of forty sets of repetitions, the
// probability that an interval of 95 % misses on one side. The claim depends if one case
// contradicts the first verdict and one the second, each at that risk. Otherwise it is undecided.
type Ruling struct{ Cases []Case }

// A Case is one test of the claim: the outcomes that are certain, and a description.
type Case struct {
	Yes, No, NotYes, NotNo bool
	Said                   string
}

// Put adds a case that meets the claim from good up, and does not meet it below bad.
func (r *Ruling) Put(in Interval, bad, good float64, format string, args ...any) {
	r.Cases = append(r.Cases, Case{in.Lo >= good, in.Hi < bad, in.Hi < good, in.Lo >= bad,
		fmt.Sprintf(format, args...)})
}

// AtLeast adds a case that meets the claim from the threshold up.
func (r *Ruling) AtLeast(in Interval, threshold float64, format string, args ...any) {
	r.Put(in, threshold, threshold, format, args...)
}

// AtMost adds a case that meets the claim from the threshold down.
func (r *Ruling) AtMost(in Interval, threshold float64, format string, args ...any) {
	r.Cases = append(r.Cases, Case{in.Hi <= threshold, in.Lo > threshold, in.Lo > threshold,
		in.Hi <= threshold, fmt.Sprintf(format, args...)})
}

func (r *Ruling) are(so func(Case) bool) (said []string) {
	for _, c := range r.Cases {
		if so(c) {
			said = append(said, c.Said)
		}
	}
	return said
}

// All returns the cases in their order.
func (r *Ruling) All() []string { return r.are(func(Case) bool { return true }) }

// So returns the cases that certainly meet the claim.
func (r *Ruling) So() []string { return r.are(func(c Case) bool { return c.Yes }) }

// Not returns the cases that certainly do not.
func (r *Ruling) Not() []string { return r.are(func(c Case) bool { return c.NotYes }) }

// Open returns the others.
func (r *Ruling) Open() []string { return r.are(func(c Case) bool { return !c.Yes && !c.NotYes }) }

// Verdict returns the verdict on the claim.
func (r *Ruling) Verdict() decide.ClaimVerdict {
	count := func(so func(Case) bool) int { return len(r.are(so)) }
	switch all := len(r.Cases); {
	case all == 0:
		return decide.ClaimUndecided
	case len(r.So()) == all:
		return decide.Holds
	case count(func(c Case) bool { return c.No }) == all:
		return decide.DoesNotHold
	case len(r.Not()) > 0 && count(func(c Case) bool { return c.NotNo }) > 0:
		return decide.Depends
	}
	return decide.ClaimUndecided
}

// Pick returns the names of the cases that certainly meet the claim, and of the cases that
// certainly do not. names has one for each case.
func (r *Ruling) Pick(names []string) (so, not []string) {
	for i, c := range r.Cases {
		switch {
		case c.Yes:
			so = append(so, names[i])
		case c.NotYes:
			not = append(not, names[i])
		}
	}
	return so, not
}

// Sentences are the findings by verdict.
type Sentences struct{ Holds, DoesNotHold, Depends string }

// Of returns the sentence of a verdict, or "" if nothing is decided.
func (s Sentences) Of(v decide.ClaimVerdict) string {
	return map[decide.ClaimVerdict]string{decide.Holds: s.Holds, decide.DoesNotHold: s.DoesNotHold,
		decide.Depends: s.Depends}[v]
}

// Find returns one of the sentences, or that the repetitions vary too much to decide. Either names
// the open cases. If these leave the verdict open, the finding also names the decided cases, which
// remain valid.
func (r *Ruling) Find(said Sentences, asked string, args ...any) decide.Finding {
	open := r.Open()
	if v := r.Verdict(); v != decide.ClaimUndecided {
		f := Found(v, "%s", said.Of(v))
		f.Say(Said(open, "the repetitions vary too much to decide"))
		return f
	}
	so, not := r.So(), r.Not()
	if len(open) == 0 { // none is decided for either verdict
		open, not = not, nil
	}
	text := fmt.Sprintf("the repetitions vary too much to decide %s: %s",
		fmt.Sprintf(asked, args...), Series(open))
	for _, decided := range []struct {
		how   string
		cases []string
	}{{"as claimed", so}, {"not as claimed", not}} {
		if len(decided.cases) > 0 {
			text += fmt.Sprintf("; %s: %s", decided.how, Series(decided.cases))
		}
	}
	return Missing("%s", text)
}

// ButFor returns the largest share of runs that may differ, with 95 % confidence, after so many
// runs with the same outcome.
func ButFor(runs int) string {
	return fmt.Sprintf("so at most %s of such runs come out otherwise (95 %% confidence)",
		text.ShortShare(1-math.Pow(0.05, 1/float64(runs))))
}

// Missing returns the finding for runs that the rule needs and that were not measured.
func Missing(format string, args ...any) decide.Finding {
	return Found(decide.ClaimUndecided, format, args...)
}

// Found returns a finding that the numbers decide.
func Found(v decide.ClaimVerdict, format string, args ...any) decide.Finding {
	return decide.Finding{Verdict: v, Because: fmt.Sprintf(format, args...)}
}

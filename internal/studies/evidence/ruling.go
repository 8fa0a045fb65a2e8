package evidence

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

// A Ruling puts a claim to the test case by case. In each, a number with its 95 % interval is held
// against what the claim wants of it, and counts only where all of the interval is on one side:
// where the middle lies decides nothing.
//
// The claim holds where each case is as it says, and does not hold where each is not; as all cases
// have to agree, either errs in at most one of forty sets of repetitions, which is the chance that
// an interval of 95 % leaves on its side. It depends where one case speaks against the first and
// one against the second, each at that risk. Else the repetitions do not tell.
type Ruling struct{ Cases []Case }

// A Case is one test of the claim: the outcomes that are certain, and a description.
type Case struct {
	Yes, No, NotYes, NotNo bool
	Said                   string
}

// Put adds a case that is as the claim says from good up, and is not below bad.
func (r *Ruling) Put(in Interval, bad, good float64, format string, args ...any) {
	r.Cases = append(r.Cases, Case{in.Lo >= good, in.Hi < bad, in.Hi < good, in.Lo >= bad,
		fmt.Sprintf(format, args...)})
}

// AtLeast adds a case that is as the claim says from the threshold up.
func (r *Ruling) AtLeast(in Interval, threshold float64, format string, args ...any) {
	r.Put(in, threshold, threshold, format, args...)
}

// AtMost adds a case that is as the claim says from the threshold down.
func (r *Ruling) AtMost(in Interval, threshold float64, format string, args ...any) {
	r.Cases = append(r.Cases, Case{in.Hi <= threshold, in.Lo > threshold, in.Lo > threshold,
		in.Hi <= threshold, fmt.Sprintf(format, args...)})
}

// are are the cases of which that is so, in words.
func (r *Ruling) are(so func(Case) bool) (said []string) {
	for _, c := range r.Cases {
		if so(c) {
			said = append(said, c.Said)
		}
	}
	return said
}

// All are the cases in their order.
func (r *Ruling) All() []string { return r.are(func(Case) bool { return true }) }

// So are the cases that are surely as the claim says.
func (r *Ruling) So() []string { return r.are(func(c Case) bool { return c.Yes }) }

// Not are the cases that surely are not.
func (r *Ruling) Not() []string { return r.are(func(c Case) bool { return c.NotYes }) }

// Open are the others.
func (r *Ruling) Open() []string { return r.are(func(c Case) bool { return !c.Yes && !c.NotYes }) }

// Verdict is that on the claim.
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

// Pick are the names of the cases that are surely as the claim says, and of those that surely are
// not; names has one for each case.
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

// Sentences are what to say by the verdict; nothing where none is reached.
type Sentences struct{ Holds, DoesNotHold, Depends string }

// Of is the sentence of a verdict; "" where nothing is decided.
func (s Sentences) Of(v decide.ClaimVerdict) string {
	return map[decide.ClaimVerdict]string{decide.Holds: s.Holds, decide.DoesNotHold: s.DoesNotHold,
		decide.Depends: s.Depends}[v]
}

// Find is the finding: one of the sentences, or that the repetitions do not tell what a case asks.
// Either names the cases left open, and where these leave the verdict open, those that are decided:
// one case that scatters takes nothing from the others.
func (r *Ruling) Find(said Sentences, asked string, args ...any) decide.Finding {
	open := r.Open()
	if v := r.Verdict(); v != decide.ClaimUndecided {
		f := Found(v, "%s", said.Of(v))
		f.Say(Said(open, "the repetitions vary too much to decide"))
		return f
	}
	so, not := r.So(), r.Not()
	if len(open) == 0 { // no side is sure of any
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

// ButFor says what is left of chance where each of so many runs was alike: the share of such runs
// that may be otherwise, with 95 %.
func ButFor(runs int) string {
	return fmt.Sprintf("so at most %s of such runs come out otherwise (95 %% confidence)",
		text.ShortShare(1-math.Pow(0.05, 1/float64(runs))))
}

// Missing is the finding where what the rule needs was not measured.
func Missing(format string, args ...any) decide.Finding {
	return Found(decide.ClaimUndecided, format, args...)
}

// Found is a finding that the numbers decide.
func Found(v decide.ClaimVerdict, format string, args ...any) decide.Finding {
	return decide.Finding{Verdict: v, Because: fmt.Sprintf(format, args...)}
}

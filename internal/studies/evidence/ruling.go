package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

// A Ruling tests a claim case by case. In each case, the claim limits a number with a 95 %
// interval. The case is decided only if the whole interval is on one side of the limit.
//
// The claim holds if it is met in each case, and does not hold if it is met in none. As all cases
// have to agree, either verdict is wrong in at most one of forty sets of repetitions, the
// probability that an interval of 95 % misses on one side. The claim depends if one case
// contradicts the first verdict and one the second, each at that risk.
type Ruling struct {
	Of     string   // head of the cases' column, such as "load"
	More   []string // heads of further columns
	Number string   // head of the number that the claim limits; "": the columns of More have it
	// nil: Interval.String
	Format func(Interval) string
	Cases  []Case

	missing []string // cases without runs
}

type Case struct {
	Yes, No, NotYes, NotNo bool
	Aside                  bool // shown, but not judged
	Name                   string
	Number                 Interval
	More                   []string // cells of further columns
}

// AddCase adds a case that meets the claim from good up, and does not meet it below bad.
func (r *Ruling) AddCase(name string, in Interval, bad, good float64, more ...string) {
	r.add(Case{Yes: in.Lo >= good, No: in.Hi < bad, NotYes: in.Hi < good, NotNo: in.Lo >= bad,
		Name: name, Number: in, More: more})
}

func (r *Ruling) AtLeast(name string, in Interval, threshold float64, more ...string) {
	r.AddCase(name, in, threshold, threshold, more...)
}

func (r *Ruling) AtMost(name string, in Interval, threshold float64, more ...string) {
	r.Certain(name, in, in.Hi <= threshold, in.Lo > threshold, more...)
}

// Certain adds a case that another rule decides: it certainly meets the claim, certainly does not,
// or neither.
func (r *Ruling) Certain(name string, in Interval, yes, no bool, more ...string) {
	r.add(Case{Yes: yes, No: no, NotYes: no, NotNo: yes, Name: name, Number: in, More: more})
}

// Show adds a row to the table that is not a case of the claim.
func (r *Ruling) Show(name string, in Interval, more ...string) {
	r.Cases = append(r.Cases, Case{Aside: true, Name: name, Number: in, More: more})
}

func (r *Ruling) add(c Case) {
	if r.Cases = append(r.Cases, c); math.IsNaN(c.Number.Mid) {
		r.missing = append(r.missing, c.Name)
	}
}

func (r *Ruling) number(in Interval) string {
	if r.Format == nil {
		return in.String()
	}
	return r.Format(in)
}

func (r *Ruling) All() []string { return r.where(func(Case) bool { return true }) }

// Meeting returns the cases that certainly meet the claim, Not those that certainly do not.
func (r *Ruling) Meeting() []string { return r.where(func(c Case) bool { return c.Yes }) }

func (r *Ruling) Not() []string { return r.where(func(c Case) bool { return c.NotYes }) }

func (r *Ruling) Open() []string {
	return r.where(func(c Case) bool { return !c.Yes && !c.NotYes })
}

func (r *Ruling) where(so func(Case) bool) (names []string) {
	for _, c := range r.Cases {
		switch name := c.Name; {
		case c.Aside || !so(c):
		case r.Number == "" || math.IsNaN(c.Number.Mid) || math.IsInf(c.Number.Mid, 0):
			names = append(names, name)
		default:
			names = append(names, name+" ("+r.number(Point(c.Number.Mid))+")")
		}
	}
	return names
}

func (r *Ruling) Verdict() decide.ClaimVerdict {
	count := func(so func(Case) bool) int { return len(r.where(so)) }
	switch all := len(r.All()); {
	case all == 0:
		return decide.ClaimUndecided
	case len(r.Meeting()) == all:
		return decide.Holds
	case count(func(c Case) bool { return c.No }) == all:
		return decide.DoesNotHold
	case len(r.Not()) > 0 && count(func(c Case) bool { return c.NotNo }) > 0:
		return decide.Depends
	}
	return decide.ClaimUndecided
}

// The names have no numbers, unlike in So and Not.
func (r *Ruling) Pick() (so, not []string) {
	for _, c := range r.Cases {
		switch {
		case c.Aside:
		case c.Yes:
			so = append(so, c.Name)
		case c.NotYes:
			not = append(not, c.Name)
		}
	}
	return so, not
}

// Sentences are texts by verdict. In a finding, Depends is the condition, such as "on the load".
type Sentences struct{ Holds, DoesNotHold, Depends string }

func (s Sentences) For(v decide.ClaimVerdict) string {
	return map[decide.ClaimVerdict]string{decide.Holds: s.Holds, decide.DoesNotHold: s.DoesNotHold,
		decide.Depends: s.Depends}[v]
}

// If the repetitions vary too much, the finding is that they do not decide the question asked.
func (r *Ruling) Find(said Sentences, asked string) decide.Finding {
	if len(r.missing) > 0 {
		return Missing("not measured: %s", Series(Few(r.missing, 3)))
	}
	v := r.Verdict()
	f := NewFinding(v, "%s", said.For(v))
	f.Table = r.Table()
	few := func(names []string) string { return Series(Few(text.Distinct(names), 3)) }
	switch v {
	case decide.Depends:
		partly := func(c Case) bool { return c.NotYes && c.NotNo }
		var parts []string
		for _, p := range []struct {
			begin string
			names []string
		}{{"for ", r.Meeting()}, {"partly for ", r.where(partly)},
			{"not for ", r.where(func(c Case) bool { return c.NotYes && !partly(c) })}} {
			if len(p.names) > 0 {
				parts = append(parts, p.begin+few(p.names))
			}
		}
		f.Because += ": it holds " + strings.Join(parts, ", ")
	case decide.ClaimUndecided:
		open := r.Open()
		if len(open) == 0 { // none is decided for either verdict
			open = r.Not()
		}
		f.Because = "the repetitions vary too much to decide " + asked + ": " + few(open)
	default:
		if span := r.span(); span != "" {
			f.Because += " (" + span + ")"
		}
	}
	return f
}

func (r *Ruling) span() string {
	var numbers []float64
	for _, c := range r.Cases {
		if !c.Aside && r.Number != "" {
			numbers = append(numbers, c.Number.Mid)
		}
	}
	if numbers = slices.DeleteFunc(numbers, func(v float64) bool {
		return math.IsInf(v, 0)
	}); len(numbers) == 0 {
		return ""
	}
	from, to := r.number(Point(slices.Min(numbers))), r.number(Point(slices.Max(numbers)))
	if from == to {
		return from
	}
	return from + " to " + to
}

func (r *Ruling) Table() *decide.Table {
	heads := append([]string{r.Of}, r.More...)
	if r.Number != "" {
		heads = append(heads, r.Number)
	}
	t := decide.Table{Heads: append(heads, "claim met")}
	for _, c := range r.Cases {
		cells := append([]string{c.Name}, c.More...)
		if r.Number != "" {
			cells = append(cells, Text(c.Number, r.number))
		}
		met := "undecided"
		switch {
		case c.Aside:
			met = Dash
		case c.Yes:
			met = "yes"
		case c.No:
			met = "no"
		case c.NotYes && c.NotNo:
			met = "partly"
		}
		t.Add(append(cells, met)...)
	}
	return &t
}

// ButFor returns the largest share of runs that may differ, with 95 % confidence, after so many
// runs with the same outcome.
func ButFor(runs int) string {
	return fmt.Sprintf("so at most %s of such runs have another result (95 %% confidence)",
		text.ShortShare(1-math.Pow(0.05, 1/float64(runs))))
}

func Missing(format string, args ...any) decide.Finding {
	return NewFinding(decide.ClaimUndecided, format, args...)
}

func NewFinding(v decide.ClaimVerdict, format string, args ...any) decide.Finding {
	return decide.Finding{Verdict: v, Because: fmt.Sprintf(format, args...)}
}

package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// OfFindings returns the verdict of one study, or for several the number of claims that hold and
// the most surprising one, if possible without doubted runs. ok is false without a verdict.
func OfFindings(
	all []decide.Finding, doubted func(decide.Finding) bool,
) (a Answer, ok bool) {
	var judged []decide.Finding
	for _, f := range all {
		if f.Study != "" && slices.Contains(decide.ClaimVerdicts, f.Verdict) {
			judged = append(judged, f)
		}
	}
	if len(judged) == 0 {
		return a, false
	}
	top := MostSurprising(judged)
	if sure := slices.DeleteFunc(slices.Clone(judged), doubted); len(sure) > 0 {
		top = MostSurprising(sure)
	}
	a = Answer{Study: top.Study, Next: "poolbench study " + Quote(top.Study)}
	if len(judged) == 1 {
		a.Headline, a.Lead = verdictOf(top, 1), quoted(top.Claim)
		if decides(top.Advice) { // the advice contains the number and the action
			a.Headline = strings.TrimSuffix(sentence(top.Advice), ".")
		}
	} else {
		a.Headline = tally(judged) + ". Most surprising: " + top.Study + " " + verdictOf(top, 0)
		a.Lead = quoted(top.Claim) + " (" + top.Study + ")"
	}
	a.Facts = studyFacts(judged, top)
	return a, true
}

// Interval reports whether any text contains an interval.
func (a Answer) Interval() bool {
	return interval.MatchString(a.Headline) || slices.ContainsFunc(a.Facts, func(f Fact) bool {
		return interval.MatchString(f.Text)
	})
}

// An advice without a number does not state where it applies.
func decides(advice string) bool { return strings.ContainsAny(advice, "0123456789") }

func quoted(claim string) string {
	if claim == "" {
		return ""
	}
	return "“" + claim + "”"
}

// MostSurprising prefers refuted claims to conditional ones, and then the largest factor in the
// reasons.
func MostSurprising(all []decide.Finding) decide.Finding {
	rank := []decide.ClaimVerdict{decide.DoesNotHold, decide.Depends, decide.Holds,
		decide.ClaimUndecided}
	return slices.MinFunc(all, func(a, b decide.Finding) int {
		return cmp.Or(slices.Index(rank, a.Verdict)-slices.Index(rank, b.Verdict),
			cmp.Compare(largestFactor(b.Because), largestFactor(a.Because)))
	})
}

var factor = lazyregexp.New(`([0-9.]+)(?: \([^)]*\))? times|by ([0-9.]+) \(|×([0-9.]+)`)

func largestFactor(text string) (most float64) {
	for _, m := range factor.FindAllStringSubmatch(text, -1) {
		if v, err := strconv.ParseFloat(m[1]+m[2]+m[3], 64); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// upper is 1 at the beginning of a sentence.
func verdictOf(f decide.Finding, upper int) string {
	verdict := string(f.Verdict)
	if upper == 1 {
		verdict = map[decide.ClaimVerdict]string{decide.Holds: "It holds",
			decide.Depends: "It depends", decide.DoesNotHold: "It does not hold",
			decide.ClaimUndecided: "Undecided"}[f.Verdict]
	} else if f.Verdict == decide.ClaimUndecided {
		verdict = "is undecided"
	}
	reason := clause(f.Because)
	switch {
	case reason == "":
		return verdict
	case f.Verdict == decide.Depends:
		return verdict + " " + reason
	}
	return verdict + ": " + reason
}

var interval = lazyregexp.New(` \([−0-9.k]+ ?(%|[nµm]?s)? to [^()]*\)`)

func clause(because string) string {
	text := interval.ReplaceAllString(because, "")
	out := ""
	for p := range strings.SplitAfterSeq(text, "; ") {
		out += p
		if strings.ContainsAny(p, "0123456789") {
			break
		}
	}
	out = strings.TrimSuffix(out, "; ")
	for _, cut := range []string{", but ", ", with each", ", and ", ", where "} {
		if head, _, ok := strings.Cut(out, cut); ok && len(out) > 150 &&
			strings.ContainsAny(head, "0123456789") {
			out = head
		}
	}
	return out
}

func tally(all []decide.Finding) string {
	counts := map[decide.ClaimVerdict]int{}
	for _, f := range all {
		counts[f.Verdict]++
	}
	var parts []string
	for _, v := range []struct {
		verdict   decide.ClaimVerdict
		one, many string
	}{{decide.Holds, "holds", "hold"}, {decide.Depends, "depends", "depend"},
		{decide.DoesNotHold, "does not hold", "do not hold"},
		{decide.ClaimUndecided, "is undecided", "are undecided"}} {
		switch n := counts[v.verdict]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+v.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, v.many))
		}
	}
	return fmt.Sprintf("Of %s %s", text.Count(len(all), "claim"), text.List(parts))
}

func studyFacts(judged []decide.Finding, top decide.Finding) (facts []Fact) {
	add := func(title, s string) {
		if s != "" {
			facts = append(facts, Fact{Title: title, Text: s})
		}
	}
	if len(judged) > 1 || !decides(top.Advice) {
		add("Advice", sentence(top.Advice))
	}
	if len(judged) == 1 {
		if clause(top.Because) != top.Because { // otherwise the headline has all of it
			because := top.Because
			if top.Verdict == decide.Depends {
				because = "it depends " + because
			}
			add("Reason", sentence(because))
		}
		add("Also", sentence(strings.Join(top.Lines[:min(len(top.Lines), 1)], "")))
		return facts
	}
	kinds := map[decide.ClaimVerdict][]string{}
	for _, f := range judged {
		kinds[f.Verdict] = append(kinds[f.Verdict], f.Study)
	}
	add("Does not hold", text.List(kinds[decide.DoesNotHold]))
	add("Undecided", text.List(kinds[decide.ClaimUndecided]))
	if len(facts) < 3 {
		add("Depends", text.List(kinds[decide.Depends]))
	}
	return facts
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "_:=0123456789") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + "."
}

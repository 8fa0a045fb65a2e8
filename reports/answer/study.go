package answer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/text/prose"
)

// OfFindings finds the answer of studies: the verdict of one with its number, or how many claims
// hold, and the most surprising one, of those whose runs are not doubted where there are any. ok is
// false where no study has given a verdict.
func OfFindings(
	all []finding.Finding, doubted func(finding.Finding) bool,
) (a Answer, ok bool) {
	var judged []finding.Finding
	for _, f := range all {
		if f.Study != "" && slices.Contains(finding.Verdicts, f.Verdict) {
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
		if decides(top.Advice) { // which says the same, and what to do
			a.Headline = strings.TrimSuffix(sentence(top.Advice), ".")
		}
	} else {
		a.Headline = tallied(judged) + ". Most surprising: " + top.Study + " " + verdictOf(top, 0)
		a.Lead = quoted(top.Claim) + " (" + top.Study + ")"
	}
	a.Facts = studyFacts(judged, top)
	return a, true
}

// Interval reports whether any of its words hold a number with its interval.
func (a Answer) Interval() bool {
	return interval.MatchString(a.Headline) || slices.ContainsFunc(a.Facts, func(f Fact) bool {
		return interval.MatchString(f.Text)
	})
}

// decides reports whether an advice says from which number on it is right.
func decides(advice string) bool { return strings.ContainsAny(advice, "0123456789") }

func quoted(claim string) string {
	if claim == "" {
		return ""
	}
	return "“" + claim + "”"
}

// MostSurprising is the finding that a reader expects least: a claim that does not hold, before one
// that depends; of these the one with the largest factor in its reasons.
func MostSurprising(all []finding.Finding) finding.Finding {
	rank := []finding.Verdict{finding.DoesNotHold, finding.Depends, finding.Holds,
		finding.Undecided}
	return slices.MinFunc(all, func(a, b finding.Finding) int {
		return cmp.Or(slices.Index(rank, a.Verdict)-slices.Index(rank, b.Verdict),
			cmp.Compare(largestFactor(b.Because), largestFactor(a.Because)))
	})
}

var factor = regexp.MustCompile(`([0-9.]+)(?: \([^)]*\))? times|by ([0-9.]+) \(`)

func largestFactor(text string) (most float64) {
	for _, m := range factor.FindAllStringSubmatch(text, -1) {
		if v, err := strconv.ParseFloat(m[1]+m[2], 64); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// verdictOf words a verdict with the first of its reasons that has a number. upper is 1 at the
// beginning of a sentence.
func verdictOf(f finding.Finding, upper int) string {
	verdict := string(f.Verdict)
	if upper == 1 {
		verdict = map[finding.Verdict]string{finding.Holds: "It holds",
			finding.Depends: "It depends", finding.DoesNotHold: "It does not hold",
			finding.Undecided: "Undecided"}[f.Verdict]
	} else if f.Verdict == finding.Undecided {
		verdict = "is undecided"
	}
	reason := clause(f.Because)
	switch {
	case reason == "":
		return verdict
	case f.Verdict == finding.Depends:
		return verdict + " " + reason
	}
	return verdict + ": " + reason
}

var interval = regexp.MustCompile(` \([−0-9.k]+ ?(%|[nµm]?s)? to [^()]*\)`)

// clause is the beginning of a reason, up to the end of its first clause with a number. Intervals
// are left to the full text below.
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

// tallied is "3 of 17 claims hold, 9 depend, 5 do not".
func tallied(all []finding.Finding) string {
	counts := map[finding.Verdict]int{}
	for _, f := range all {
		counts[f.Verdict]++
	}
	var parts []string
	for _, v := range []struct {
		verdict   finding.Verdict
		one, many string
	}{{finding.Holds, "holds", "hold"}, {finding.Depends, "depends", "depend"},
		{finding.DoesNotHold, "does not hold", "do not hold"},
		{finding.Undecided, "is undecided", "are undecided"}} {
		switch n := counts[v.verdict]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+v.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, v.many))
		}
	}
	return fmt.Sprintf("Of %s %s", prose.Count(len(all), "claim"), prose.List(parts))
}

// studyFacts returns the advice, the deciding numbers, and the open questions.
func studyFacts(judged []finding.Finding, top finding.Finding) (facts []Fact) {
	add := func(title, text string) {
		if text != "" {
			facts = append(facts, Fact{Title: title, Text: text})
		}
	}
	if len(judged) > 1 || !decides(top.Advice) {
		add("What to do", sentence(top.Advice))
	}
	if len(judged) == 1 {
		because := top.Because
		if top.Verdict == finding.Depends {
			because = "it depends " + because
		}
		add("What decides", sentence(because))
		add("Also", sentence(strings.Join(top.Lines[:min(len(top.Lines), 1)], "")))
		return facts
	}
	kinds := map[finding.Verdict][]string{}
	for _, f := range judged {
		kinds[f.Verdict] = append(kinds[f.Verdict], f.Study)
	}
	add("Does not hold", prose.List(kinds[finding.DoesNotHold]))
	add("Undecided", prose.List(kinds[finding.Undecided]))
	if len(facts) < 3 {
		add("Depends", prose.List(kinds[finding.Depends]))
	}
	return facts
}

// sentence ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "_:=0123456789") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + "."
}

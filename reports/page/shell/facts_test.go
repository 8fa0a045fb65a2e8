package shell

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
)

func TestFacts(t *testing.T) {
	s := sweep(p99("shed", 0.5, 0.1, 0.1), p99("pool", 0.5, 0.105, 0.105),
		p99("shed", 1.1, 0.12, 0.12).with("shed/op", 0.124), p99("twin", 1.1, 0.123, 0.123),
		p99("pool", 1.1, 3, 4).growing(),
		p99("unbounded", 1.1, 0.01).with("peak-inflight", 50))
	a, _ := OfSweeps([]Sweep{s})
	var text []string
	for _, f := range a.Facts {
		for _, b := range f.Bars {
			text = append(text, b.Label+" "+b.Value)
		}
		text = append(text, f.Title+": "+f.Text)
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"shed (12.4 % of tasks shed) 120 ms", "twin 123 ms", "pool growing",
		"twin is not significantly different from shed.",
		"Up to load 0.5 they do not differ: the p99 response is 100 to 105 ms.",
		"With shed 12.4 % of tasks shed at load 1.1.",
		"unbounded runs more at once than the limit of 4, up to 50, and is not ranked."} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	want := "poolbench capacity --strategy shed,twin,pool --workload w --limit 4 --clock virtual " +
		"--objective 'p99-response<200ms'"
	if got := s.NextOf(a); got != want {
		t.Errorf("next: %s", got)
	}
	s.Bound = 0.15
	want = strings.Replace(want, "200ms", "150ms", 1)
	if got := s.NextOf(a); got != want {
		t.Errorf("next, with an objective: %s", got)
	}
	s = sweep(p99("a", 0.9, 0.1), p99("b", 0.9, 0.1001))
	a, _ = OfSweeps([]Sweep{s})
	if got := s.NextOf(a); !strings.HasPrefix(got, "poolbench run --strategy a,b ") ||
		!strings.HasSuffix(got, "--load 0.9 --clock virtual --count 10") {
		t.Errorf("next of what is not told apart: %s", got)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{"a,b": "a,b", "x<1": "'x<1'", "": "''",
		"it's $(rm)": `'it'\''s $(rm)'`} {
		if got := Quote(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestOfFindings(t *testing.T) {
	depends := decide.Finding{Study: "buffer", Claim: "larger is better", Verdict: decide.Depends,
		Because: "on what exceeds the capacity: no load; it absorbs bursts (shed 96 % → 0 %); more"}
	fails := decide.Finding{Study: "scrape", Claim: "c", Verdict: decide.DoesNotHold,
		Because: "the site refuses 4990 of 5000 calls", Advice: "limit the rate"}
	more := decide.Finding{Study: "spread", Claim: "d", Verdict: decide.DoesNotHold,
		Because: "it takes 12.9 (10.9 to 15.2) times as long"}
	none := func(decide.Finding) bool { return false }
	a, ok := OfFindings([]decide.Finding{depends}, none)
	if want := "It depends on what exceeds the capacity: no load; it absorbs bursts (shed 96 % → " +
		"0 %)"; !ok || a.Headline != want || a.Lead != "“larger is better”" {
		t.Errorf("%q, %q", a.Headline, a.Lead)
	}
	decided := depends
	decided.Advice = "shed once they wait for 1.5 s"
	a, _ = OfFindings([]decide.Finding{decided}, none)
	if a.Headline != "Shed once they wait for 1.5 s" ||
		slices.ContainsFunc(a.Facts, func(f Fact) bool { return f.Title == "Advice" }) {
		t.Errorf("%q, %+v", a.Headline, a.Facts)
	}
	a, ok = OfFindings([]decide.Finding{depends, fails, more, {Study: "odd", Verdict: "what"}},
		none)
	if want := "Of 3 claims 1 depends and 2 do not hold. Most surprising: spread does not hold: " +
		"it takes 12.9 times as long"; !ok || a.Headline != want || a.Study != "spread" {
		t.Errorf("%q", a.Headline)
	}
	if a.Next != "poolbench study spread" {
		t.Error(a.Next)
	}
	for doubted, want := range map[string]string{"spread": "scrape", "spread scrape": "buffer",
		"spread scrape buffer": "spread"} {
		a, _ = OfFindings([]decide.Finding{depends, fails, more},
			func(f decide.Finding) bool { return strings.Contains(doubted, f.Study) })
		if a.Study != want {
			t.Errorf("%s doubted: %s", doubted, a.Study)
		}
	}
	if _, ok := OfFindings([]decide.Finding{{Lines: []string{"older"}}}, none); ok {
		t.Error("an answer without a verdict")
	}
}

func TestOfSearch(t *testing.T) {
	nan := math.NaN()
	s := Search{Axis: "load", From: 0.1, Objective: "p99-response<80ms"}
	for want, found := range map[string][]SearchResult{
		"b meets p99-response<80ms up to load 0.800 to 0.820; a only up to load 0.500 to 0.600": {
			{Name: "a", Met: 0.5, Missed: 0.6}, {Name: "b", Met: 0.8, Missed: 0.82}},
		"b meets p99-response<80ms up to load 0.800 to 0.820; no significant difference": {
			{Name: "a", Met: 0.79, Missed: 0.81}, {Name: "b", Met: 0.8, Missed: 0.82}},
		"b meets p99-response<80ms up to load 1.20, the highest tried; a at no load from " +
			"0.100 on": {{Name: "a", Met: nan, Missed: 0.1}, {Name: "b", Met: 1.2, Missed: nan}},
	} {
		s.Found = append(found, SearchResult{Name: "open", Met: nan, Missed: nan})
		if a, ok := OfSearch(s); !ok || a.Headline != want {
			t.Errorf("%q, want %q", a.Headline, want)
		}
	}
	s = Search{Axis: Limit, From: 1, To: 64, Objective: "p99-response<200ms"}
	for want, found := range map[string][]SearchResult{
		"The smallest limit that meets p99-response<200ms is 6 with a and b": {
			{Name: "a", Met: 6, Missed: 5}, {Name: "b", Met: 6, Missed: 5}},
		"The smallest limit that meets p99-response<200ms is 5 or 6 with b, and 8 to 12 with a": {
			{Name: "a", Met: 12, Missed: 7}, {Name: "b", Met: 6, Missed: 4}},
		"The smallest limit that meets p99-response<200ms is 1, the smallest tried with b; with a " +
			"no limit up to 64 meets it; 1 answer in between": {{Name: "a", Met: nan, Missed: 64},
			{Name: "c", Met: 9, Missed: 8}, {Name: "b", Met: 1, Missed: nan}},
		"No limit up to 64 meets p99-response<200ms with a": {{Name: "a", Met: nan, Missed: 64}},
	} {
		s.Found = found
		a, ok := OfSearch(s)
		if !ok || a.Headline != want {
			t.Errorf("%q, want %q", a.Headline, want)
		}
		if bars := a.Facts[0].Bars; len(bars) != len(found) || bars[0].Share > bars[len(bars)-1].Share {
			t.Errorf("bars %v", bars)
		}
	}
	s = Search{Axis: "queue", To: 100, Objective: "p99-response<200ms",
		Found: []SearchResult{{Name: "a", Met: 22, Missed: 23}}}
	if a, _ := OfSearch(s); a.Headline != "a meets p99-response<200ms up to queue 22 to 23" ||
		a.Facts[0].Title != "Longest queue that meets it" {
		t.Errorf("%q, %q", a.Headline, a.Facts[0].Title)
	}
	s.Found = nil
	if _, ok := OfSearch(s); ok {
		t.Error("an answer of nothing")
	}
}

// Not every pair of parentheses is an interval.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"2.52 (2.26 to 2.81) times as many", true},
		{"partitioned 670 ns (220 ns to 2 µs)", true},
		{"12 % (10 % to 14 %)", true},
		{"two pools are better (with 1 slot to compute at limit 4)", false},
		{"24 of 24 runs", false},
	} {
		if got := (Answer{Facts: []Fact{{Text: c.text}}}).Interval(); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

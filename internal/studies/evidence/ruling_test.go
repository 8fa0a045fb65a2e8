package evidence

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
)

func TestRuling(t *testing.T) {
	at := func(lo, hi float64) Interval { return Interval{(lo + hi) / 2, lo, hi} }
	single := OfMean([]float64{5})
	for name, c := range map[string]struct {
		cases []Interval
		want  decide.ClaimVerdict
	}{
		"all above":             {[]Interval{at(2, 3), at(1, 1)}, decide.Holds},
		"all below":             {[]Interval{at(0, 0.9), at(-1, 0.4)}, decide.DoesNotHold},
		"both":                  {[]Interval{at(2, 3), at(0, 0.4), at(0.1, 9)}, decide.Depends},
		"one across":            {[]Interval{at(2, 3), at(0.9, 3)}, decide.ClaimUndecided},
		"one below, one across": {[]Interval{at(0, 0.4), at(0.1, 9)}, decide.ClaimUndecided},
		"a single repetition":   {[]Interval{single}, decide.ClaimUndecided},
		"nothing":               {nil, decide.ClaimUndecided},
		"not a number":          {[]Interval{OfMean(nil)}, decide.ClaimUndecided},
	} {
		var r, mirrored Ruling
		for _, in := range c.cases {
			r.AtLeast("case", in, 1)
			mirrored.AtMost("case", Interval{-in.Mid, -in.Hi, -in.Lo}, -1)
		}
		if got := r.Verdict(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if got := mirrored.Verdict(); got != c.want {
			t.Errorf("%s, at most: %v, want %v", name, got, c.want)
		}
		said := Sentences{Holds: "holds", DoesNotHold: "does not hold", Depends: "depends"}
		if f := r.Find(said, "whether"); f.Verdict != c.want ||
			!strings.HasPrefix(f.Because, string(c.want)) && c.want != decide.ClaimUndecided ||
			f.Because == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	var r Ruling
	r.AddCase("in between", at(0.3, 0.6), 0.1, 0.9)
	if got := r.Verdict(); got != decide.Depends {
		t.Errorf("surely neither: %v, want depends", got)
	}
	r.AddCase("perhaps good", at(0.85, 0.95), 0.1, 0.9)
	if got := r.Verdict(); got != decide.Depends {
		t.Errorf("one is surely neither: %v, want depends", got)
	}
	if open := r.Open(); len(open) != 1 || open[0] != "perhaps good" {
		t.Errorf("open is %q", open)
	}
}

func TestRulingTable(t *testing.T) {
	for name, c := range map[string]struct {
		cases   map[string]Interval
		want    decide.ClaimVerdict
		because string
		met     string
	}{
		"one across": {map[string]Interval{"a": {2, 1.5, 3}, "b": {1, 0.5, 2}}, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether: b (1)", "yes undecided –"},
		"all across": {map[string]Interval{"a": {1, 0.5, 2}}, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether: a (1)", "undecided –"},
		"one below, one above": {map[string]Interval{"a": {0.1, 0, 0.5}, "b": {1, 0.5, 2},
			"c": {2, 1.5, 3}}, decide.Depends, "on: it holds for c (2), not for a (0.1)",
			"no undecided yes –"},
		"all above": {map[string]Interval{"a": {2, 1.5, 3}, "b": {4, 3, 5}}, decide.Holds,
			"so (2 to 4)", "yes yes –"},
		"one is missing": {map[string]Interval{"a": {2, 1.5, 3}, "b": OfMean(nil)},
			decide.ClaimUndecided, "not measured: b", ""},
	} {
		r := Ruling{Of: "case", More: []string{"more"}, Number: "number"}
		for _, name := range slices.Sorted(maps.Keys(c.cases)) {
			r.AtLeast(name, c.cases[name], 1, "x")
		}
		r.Show("shown", Point(0), "x")
		f := r.Find(Sentences{Holds: "so", Depends: "on"}, "whether")
		var met []string
		if f.Table != nil {
			for _, row := range f.Table.Rows {
				if len(row) != len(f.Table.Heads) {
					t.Errorf("%s: row %q below %q", name, row, f.Table.Heads)
				}
				met = append(met, row[len(row)-1])
			}
		}
		if f.Verdict != c.want || f.Because != c.because || strings.Join(met, " ") != c.met {
			t.Errorf("%s: %s, %q, %q", name, f.Verdict, f.Because, met)
		}
	}
}

func TestShorten(t *testing.T) {
	for n, want := range map[int]int{12: 12, 13: 12, 40: 12} {
		table := decide.Table{Heads: []string{"a", "b"}}
		for i := range n {
			table.Add(fmt.Sprint(i), "x")
		}
		Shorten(&table)
		rows := table.Rows
		if len(rows) != want || rows[0][0] != "0" || rows[11][0] != fmt.Sprint(n-1) ||
			n > 12 && rows[6][0] != fmt.Sprintf("%d more", n-11) {
			t.Errorf("%d rows become %q", n, rows)
		}
	}
}

// If the true value equals the threshold, at most one verdict in twenty may be decided. If it is
// clearly beyond the threshold, three repetitions must decide.
func TestRulingRisk(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	const trials = 4000
	for _, n := range []int{2, 3, 5} {
		decided := map[float64]int{}
		for range trials {
			for _, mean := range []float64{1, 1.5} {
				values := make([]float64, n)
				for i := range values {
					values[i] = mean + 0.05*random.NormFloat64()
				}
				var r Ruling
				r.AtLeast("case", OfMean(values), 1)
				if r.Verdict() != decide.ClaimUndecided {
					decided[mean]++
				}
			}
		}
		if share := float64(decided[1]) / trials; share > 0.06 {
			t.Errorf("%d repetitions decide %.1f %% of what is on the threshold", n, 100*share)
		}
		if share := float64(decided[1.5]) / trials; n > 2 && share < 0.99 {
			t.Errorf("%d repetitions decide %.1f %% of what is clear", n, 100*share)
		}
	}
}

// If the printed share of runs differed, n equal runs would have a probability of 5 %.
func TestButFor(t *testing.T) {
	for n, want := range map[int]string{1: "95 %", 3: "63.2 %", 100: "2.95 %"} {
		if got := ButFor(n); !strings.Contains(got, want) {
			t.Errorf("%d runs: %q, want %q", n, got, want)
		}
	}
}

// Package verdict has the types of a gate's report: a verdict on every metric of every benchmark,
// and on the whole. Package internal/gate/judge makes the verdicts, package reports/gate writes the
// report.
package verdict

import (
	"fmt"
	"slices"
)

// A Verdict on one metric of one benchmark.
type Verdict string

// The verdicts, from the one to look at first. Inconclusive is not a pass.
const (
	// the change for the worse exceeds the margin, significantly
	Worse Verdict = "worse"
	// the values neither show a change nor rule out one that matters
	Inconclusive Verdict = "inconclusive"
	// the change for the better exceeds the margin, significantly
	Better Verdict = "better"
	// in a gate that measured by itself: the pairs of the screening rule such a change out
	NotSuspected Verdict = "not suspected"
	// a change for the worse as large as the promise is ruled out: the interval ends below it
	NoWorse Verdict = "no worse"
)

// Severity is the place of a verdict among them all: 0 for the one to look at first.
func (v Verdict) Severity() int {
	at := slices.Index([]Verdict{Worse, Inconclusive, Better, NotSuspected, NoWorse}, v)
	if at < 0 {
		panic(fmt.Sprintf("verdict: there is no %q", string(v)))
	}
	return at
}

// A Test is how a row was tested: "" for one that needs no test, since its values are exact, or 0
// throughout.
type Test string

// The tests.
const (
	BySignedRank Test = "signed-rank" // by the changes of the pairs
	BySwaps      Test = "swap"        // by swapping the runs of pairs, on histograms: a tail
	ByRank       Test = "rank"        // by the ranks of all values, which come in no pairs
)

// A Direction says which way a metric is better: as the Unit lines of the Go benchmark format have
// it. The zero value is not known, and nothing is decided on it.
type Direction int

// The directions.
const (
	LowerIsBetter  Direction = -1
	HigherIsBetter Direction = +1
)

// MarshalText is the value of better= in a Unit line; "" when it is not known.
func (d Direction) MarshalText() ([]byte, error) {
	return []byte(map[Direction]string{LowerIsBetter: "lower", HigherIsBetter: "higher"}[d]), nil
}

// UnmarshalText reads the text of MarshalText.
func (d *Direction) UnmarshalText(text []byte) error {
	known := map[string]Direction{"": 0, "lower": LowerIsBetter, "higher": HigherIsBetter}
	direction, ok := known[string(text)]
	if !ok {
		return fmt.Errorf("unknown direction %q", text)
	}
	*d = direction
	return nil
}

// Package verdict defines the types of a gate's report. Package internal/gate/judge determines the
// verdicts, and package reports/gate writes the report.
package verdict

import (
	"fmt"
	"slices"
)

type Verdict string

// The verdicts, from the most to the least severe. Inconclusive is not a pass.
const (
	// Worse: the change for the worse significantly exceeds the margin.
	Worse Verdict = "worse"
	// Inconclusive: the values neither show a change nor exclude a relevant one.
	Inconclusive Verdict = "inconclusive"
	Better       Verdict = "better"
	// NotSuspected: the pairs of the screening exclude a relevant change.
	NotSuspected Verdict = "not suspected"
	// NoWorse: the interval excludes a change for the worse as large as the promise.
	NoWorse Verdict = "no worse"
)

func (v Verdict) Severity() int {
	at := slices.Index([]Verdict{Worse, Inconclusive, Better, NotSuspected, NoWorse}, v)
	if at < 0 {
		panic(fmt.Sprintf("verdict: there is no %q", string(v)))
	}
	return at
}

// A Test is the statistical test of a row. It is "" for values that are exact or all 0, which need
// no test.
type Test string

const (
	BySignedRank Test = "signed-rank" // of the changes of the pairs
	BySwaps      Test = "swap"        // swaps of the runs of pairs, for the histograms of a tail
	ByRank       Test = "rank"        // of the ranks of all values, which are not paired
)

// A Direction is the direction in which a metric is better, as in the Unit lines of the Go
// benchmark format. The zero value is unknown, and gets no verdict.
type Direction int

const (
	LowerIsBetter  Direction = -1
	HigherIsBetter Direction = +1
)

func (d Direction) MarshalText() ([]byte, error) {
	return []byte(map[Direction]string{LowerIsBetter: "lower", HigherIsBetter: "higher"}[d]), nil
}

func (d *Direction) UnmarshalText(text []byte) error {
	known := map[string]Direction{"": 0, "lower": LowerIsBetter, "higher": HigherIsBetter}
	direction, ok := known[string(text)]
	if !ok {
		return fmt.Errorf("unknown direction %q", text)
	}
	*d = direction
	return nil
}

package judge

import (
	"fmt"
	"math"
)

// Options are the settings of a decision; start from Defaults.
type Options struct {
	Margin float64 // δ: a worsening up to this factor above 1 is held against nobody; 0.02 is 2 %
	// e: "no worse" rules out, and the second stage is sized to find, a worsening this large
	Promise float64
	Alpha   float64 // chance of any false "worse" in the whole family

	ScreenPairs int // pairs of each metric in the first stage
	// a metric is suspect when its first stage's p is at most this: it looks worse
	SuspectAt float64
	// and unless that of a worsening as large as the promise is at most this: it may be
	ClearAt float64
	// pairs of a suspect in the second stage; more where fewer could not be significant
	FreshPairs int
	// half of them do for one that looks the same by then, and unlike the promise at this p, or at
	// Alpha/2 if that is less
	FutileAt float64
	Fixed    bool `json:"-"` // noisy metrics get no more fresh pairs than others

	Seed uint64 // of the draws of the swap test, where there are too many swaps to try all
}

// Defaults are a margin of 2 %, a promise of 10 %, an alpha of 0.05, and 6 pairs before 20 fresh
// ones for suspects. Over four kinds of replayed noise that finds 10 % in 95 to 99.8 of 100 cases,
// with no false alarm in 8000 gates, for 12.0 to 13.0 runs of a benchmark in the mean
// (internal/gate/judge); clearing at 0.1 instead takes up to 20 runs, finds no more, and leaves
// more open. A number of fresh pairs by the noise of the first six, from 10 up, was tried and lost:
// six pairs do not show how often the machine will be held up, ten cannot bear it, and it found 76
// to 97 of 100. That ten do for those that look the same by then misses no more: without it, it
// takes 12.1 to 13.6 runs, and finds as much.
func Defaults() Options {
	return Options{Margin: 0.02, Promise: 0.10, Alpha: 0.05, ScreenPairs: 6, SuspectAt: 0.25,
		ClearAt: 0.025, FreshPairs: 20, FutileAt: 0.01}
}

// Validate says what makes no sense; nil when nothing does.
func (o Options) Validate() error {
	switch {
	case !(o.Margin >= 0 && o.Margin < 1):
		return fmt.Errorf("a margin of %v is not between 0 and 1", o.Margin)
	case !(o.Promise > 0 && o.Promise < 1 && o.Promise >= o.Margin):
		return fmt.Errorf("a promise of %v is not between the margin of %v and 1",
			o.Promise, o.Margin)
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return fmt.Errorf("an alpha of %v is not between 0 and 0.5", o.Alpha)
	case !(o.SuspectAt > 0 && o.SuspectAt < 1):
		return fmt.Errorf("suspicion at a p of %v is not between 0 and 1", o.SuspectAt)
	case !(o.ClearAt > 0 && o.ClearAt < 1):
		return fmt.Errorf("clearing at a p of %v is not between 0 and 1", o.ClearAt)
	case !(o.FutileAt >= 0 && o.FutileAt < 1):
		return fmt.Errorf("futility at a p of %v is not between 0 and 1", o.FutileAt)
	case o.ScreenPairs < MinPairs(min(o.SuspectAt, o.ClearAt)):
		return fmt.Errorf("%d pairs cannot give the p of %v that makes a suspect, or clears: %d "+
			"are needed", o.ScreenPairs, min(o.SuspectAt, o.ClearAt),
			MinPairs(min(o.SuspectAt, o.ClearAt)))
	case o.FreshPairs < 1:
		return fmt.Errorf("want fresh pairs, not %d", o.FreshPairs)
	}
	return nil
}

// margin and promise are the two thresholds on a Worsening. They are the same up and down: a margin
// of 2 % is a factor of 1.02 in time, and of 1/1.02 in throughput.
func (o Options) margin() float64  { return math.Log1p(o.Margin) }
func (o Options) promise() float64 { return math.Log1p(o.Promise) }

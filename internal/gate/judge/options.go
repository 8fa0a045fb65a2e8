package judge

import (
	"fmt"
	"math"
)

// Options are the settings of a decision. Start from Defaults.
type Options struct {
	Margin float64 // δ: a worsening up to this fraction is ignored; 0.02 is 2 %
	// e: "no worse" excludes a worsening this large, and the second stage has enough pairs to find it
	Promise float64
	Alpha   float64 // probability of any false "worse" in the whole family

	ScreenPairs int // pairs of each metric in the first stage
	// a metric is suspect if its p in the first stage is at most this: it looks worse
	SuspectAt float64
	// it is also suspect if the p of a worsening as large as the promise is above this
	ClearAt float64
	// pairs of a suspect in the second stage; more if fewer could not be significant
	FreshPairs int
	// fewer are enough if at a look (see [Screening.More]) the metric looks unchanged, and differs
	// from the promise at this p, or at Alpha/2 if that is less
	FutileAt float64
	Fixed    bool `json:"-"` // noisy metrics get no more fresh pairs than others

	Seed uint64 // of the draws of the swap test, if there are too many swaps to try all
}

// Defaults returns a margin of 2 %, a promise of 10 %, an alpha of 0.05, 6 pairs, and 20 fresh
// pairs for suspects, or more if they are noisy. A metric is cleared at half of alpha, where its
// interval excludes the promise. Clearing at 0.25, with 20 fresh pairs for any noise, needed a
// third to two fifths fewer runs over four kinds of replayed noise and found as much. But it passed
// metrics whose interval contained the promise. With changes of pairs that scatter by 13 % it found
// 10 % in 42 of 100 cases and left half of the gates undecided, where these defaults find 87. A
// quiet machine needs the same number of runs either way. Six pairs alone do not show how many more
// are needed, six and ten fresh ones do.
func Defaults() Options {
	return Options{Margin: 0.02, Promise: 0.10, Alpha: 0.05, ScreenPairs: 6, SuspectAt: 0.25,
		ClearAt: 0.025, FreshPairs: 20, FutileAt: 0.01}
}

// WithAlpha returns the options with another alpha. They clear at half of it, with the necessary
// number of pairs.
func (o Options) WithAlpha(alpha float64) Options {
	o.Alpha, o.ClearAt = alpha, alpha/2
	if alpha > 0 {
		o.ScreenPairs = max(o.ScreenPairs, MinPairs(o.ClearAt))
	}
	return o
}

// Validate returns an error for invalid options.
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

// margin and promise are the two thresholds of a worsening, symmetric for both directions: a margin
// of 2 % is a factor of 1.02 in time, and of 1/1.02 in throughput.
func (o Options) margin() float64  { return math.Log1p(o.Margin) }
func (o Options) promise() float64 { return math.Log1p(o.Promise) }

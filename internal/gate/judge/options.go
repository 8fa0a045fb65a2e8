package judge

import (
	"fmt"
	"math"
)

type Options struct {
	Margin float64 // δ: a worsening up to this fraction is ignored; 0.02 is 2 %
	// Promise (e) is the worsening that "no worse" excludes and that the second stage has enough
	// pairs to find.
	Promise float64
	Alpha   float64 // probability of any false "worse" in the whole family

	ScreenPairs int // pairs of each metric in the first stage
	SuspectAt   float64
	// A metric is suspect because of its noise if the p of a worsening by the promise is above
	// ClearAt.
	ClearAt float64
	// FreshPairs is the number of pairs of a suspect in the second stage. It is increased if it
	// could not give a significant result.
	FreshPairs int
	// FutileAt allows fewer fresh pairs: a metric is settled at a look (see [Screening.More]) if it
	// looks unchanged and the promise is excluded at this p, or at Alpha/2 if that is less.
	FutileAt float64
	Fixed    bool `json:"-"`

	Seed uint64 // seed of the random swaps, used if there are too many swaps to try all
}

// Defaults clears a metric at alpha/2, where its interval excludes the promise. A ClearAt of 0.25
// with 20 fresh pairs for all metrics needed 33 to 40 % fewer runs on replayed noise, but with a
// scatter of 13 % it found a change of 10 % in 42 of 100 cases instead of 87.
func Defaults() Options {
	return Options{Margin: 0.02, Promise: 0.10, Alpha: 0.05, ScreenPairs: 6, SuspectAt: 0.25,
		ClearAt: 0.025, FreshPairs: 20, FutileAt: 0.01}
}

func (o Options) WithAlpha(alpha float64) Options {
	o.Alpha, o.ClearAt = alpha, alpha/2
	if alpha > 0 {
		o.ScreenPairs = max(o.ScreenPairs, MinPairs(o.ClearAt))
	}
	return o
}

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

// The thresholds are logarithms: a margin of 2 % is a factor of 1.02 in time, and of 1/1.02 in
// throughput.
func (o Options) margin() float64  { return math.Log1p(o.Margin) }
func (o Options) promise() float64 { return math.Log1p(o.Promise) }

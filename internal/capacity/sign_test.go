package capacity

import (
	"fmt"
	"math"
	"testing"

	"github.com/poolbench/poolbench/internal/objectives"
)

func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		runs int
		risk float64
		want signTest
	}{
		{16, 0.025, signTest{first: 6, runs: 16, least: 13}},
		{6, 0.025, signTest{first: 6, runs: 6, least: 6}},
		{16, 0.05 / 16, signTest{first: 10, runs: 16, least: 14}},
		{1, 0.5, signTest{first: 1, runs: 1, least: 1}},
	} {
		if got, err := newSignTest(c.runs, c.risk); got != c.want || err != nil {
			t.Errorf("%d runs, risk %v: %+v, %v, want %+v", c.runs, c.risk, got, err, c.want)
		}
	}
	if _, err := newSignTest(5, 0.025); err == nil ||
		err.Error() != "5 runs at a load are too few for this confidence, which needs 6" {
		t.Error(err)
	}
}

// walk adds the probabilities of all sequences of runs, by verdict. p is the probability of a run
// that meets the objective.
func walk(test signTest, c Probe, p float64, into map[objectives.Verdict]float64, weight float64) {
	v, done := test.judge(c)
	if done || c.runs() == test.runs {
		into[v] += weight
		return
	}
	walk(test, Probe{Met: c.Met + 1, Missed: c.Missed}, p, into, weight*p)
	walk(test, Probe{Met: c.Met, Missed: c.Missed + 1}, p, into, weight*(1-p))
}

// For a fair coin, risk limits the probability of each verdict.
func TestRisk(t *testing.T) {
	for _, runs := range []int{6, 9, 12, 16} {
		for _, risk := range []float64{0.1, 0.025, 0.005} {
			test, err := newSignTest(runs, risk)
			if err != nil {
				continue
			}
			t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
				fair, biased := map[objectives.Verdict]float64{}, map[objectives.Verdict]float64{}
				walk(test, Probe{}, 0.5, fair, 1)
				walk(test, Probe{}, 0.4, biased, 1)
				if fair[objectives.Met] > risk || fair[objectives.Missed] != fair[objectives.Met] ||
					biased[objectives.Met] >= fair[objectives.Met] {
					t.Errorf("risk %v: a fair coin comes to %v, a biased one to %v",
						risk, fair, biased)
				}
				if sum := fair[objectives.Met] + fair[objectives.Missed] +
					fair[objectives.Undecided]; math.Abs(sum-1) > 1e-12 {
					t.Errorf("all sequences together come to %v", sum)
				}
			})
		}
	}
}

// An undecided run must count against both verdicts.
func TestUntoldRunsDecideNothing(t *testing.T) {
	test := signTest{first: 6, runs: 16, least: 13}
	for _, c := range []struct {
		Probe
		want objectives.Verdict
	}{
		{Probe{Met: 6}, objectives.Met},
		{Probe{Missed: 6}, objectives.Missed},
		{Probe{Met: 5, Untold: 1}, objectives.Undecided},
		{Probe{Met: 7}, objectives.Undecided}, // the first look is over
		{Probe{Met: 12, Untold: 4}, objectives.Undecided},
		{Probe{Met: 13, Untold: 3}, objectives.Met},
		{Probe{Met: 3, Missed: 12}, objectives.Undecided},
		{Probe{Met: 3, Missed: 13}, objectives.Missed},
		{Probe{Untold: 16}, objectives.Undecided},
		{Probe{Met: 8, Missed: 8}, objectives.Undecided},
		{Probe{Missed: 5, Untold: 1}, objectives.Undecided},
	} {
		if got, _ := test.judge(c.Probe); got != c.want {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
	for _, c := range []struct {
		Probe
		want bool
	}{
		{Probe{Met: 3, Missed: 3}, false}, {Probe{Met: 4, Missed: 4}, true},
		{Probe{Met: 3, Missed: 4}, false},
		{Probe{Met: 3, Untold: 3}, false}, {Probe{Met: 2, Untold: 4}, true},
	} {
		if _, done := test.judge(c.Probe); done != c.want {
			t.Errorf("%+v: done is %v", c, done)
		}
	}
}

package capacity

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/internal/objectives"
)

// A signTest decides whether more than half, or less than half, of all runs would meet the
// objectives. It looks twice: after first runs, which decide when they agree, and after all, where
// least have to. Far from the capacity, where most loads are, that saves the better part of the
// runs.
//
// Were it a fair coin, either verdict would come up with a probability of at most risk. With a coin
// that is biased the one way it is even less likely to be taken for the other.
type signTest struct {
	first, runs, least int
}

// newSignTest makes the test of that many runs at most; the error says how many the risk takes.
func newSignTest(runs int, risk float64) (signTest, error) {
	t := signTest{first: runs, runs: runs, least: runs}
	if tail(runs, runs) > risk {
		return t, fmt.Errorf("%d runs at a load cannot tell with this confidence; it takes %d",
			runs, int(math.Ceil(-math.Log2(risk)-1e-9)))
	}
	for t.least > 0 && tail(runs, t.least-1) <= risk {
		t.least--
	}
	for first := 1; first < t.least; first++ {
		// Either all of the first agree, or not all of them and still enough in the end.
		agree := math.Exp2(-float64(first))
		if agree+tail(runs, t.least)-agree*tail(runs-first, t.least-first) <= risk {
			t.first = first
			break
		}
	}
	return t, nil
}

// tail is the probability that a fair coin shows heads at least k times in n tosses.
func tail(n, k int) (p float64) {
	term := math.Exp2(-float64(n)) // of n heads
	for heads := n; heads >= max(k, 0); heads-- {
		p += term
		term *= float64(heads) / float64(n-heads+1)
	}
	return p
}

// judge returns the verdict, and whether more runs could not change it. A run that cannot tell
// counts for neither side.
func (t signTest) judge(c Probe) (v objectives.Verdict, done bool) {
	n := c.runs()
	switch {
	case c.Met >= t.least, n == t.first && c.Met == n:
		return objectives.Met, true
	case c.Missed >= t.least, n == t.first && c.Missed == n:
		return objectives.Missed, true
	}
	most := max(c.Met, c.Missed) + t.runs - n
	return objectives.Undecided, n >= t.first && most < t.least
}

// next is how many runs a load should have had after the round to come: few at a time, for a third
// may settle it. An interval is looked at twice alone: once more is a chance more to be wrong.
func (t signTest) next(n int, byInterval bool) int {
	const atATime = 2
	switch {
	case n < t.first:
		return t.first
	case byInterval:
		return t.runs
	}
	return min(n+atATime, t.runs)
}

package capacity

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/internal/objectives"
)

// A signTest decides whether more, or less, than half of all runs would meet the objectives. It
// decides after the first runs if all of them agree, which saves most runs far from the capacity,
// and after all runs if at least least of them agree. Either wrong verdict has a probability of at
// most risk.
type signTest struct {
	first, runs, least int
}

func newSignTest(runs int, risk float64) (signTest, error) {
	t := signTest{first: runs, runs: runs, least: runs}
	if tail(runs, runs) > risk {
		return t, fmt.Errorf("%d runs at a load are too few for this confidence, which needs %d",
			runs, int(math.Ceil(-math.Log2(risk)-1e-9)))
	}
	for t.least > 0 && tail(runs, t.least-1) <= risk {
		t.least--
	}
	for first := 1; first < t.least; first++ {
		// accept if the first runs all agree, or if enough of all runs agree
		agree := math.Exp2(-float64(first))
		if agree+tail(runs, t.least)-agree*tail(runs-first, t.least-first) <= risk {
			t.first = first
			break
		}
	}
	return t, nil
}

// tail returns the probability that a fair coin shows heads at least k times in n tosses.
func tail(n, k int) (p float64) {
	term := math.Exp2(-float64(n)) // of n heads
	for heads := n; heads >= max(k, 0); heads-- {
		p += term
		term *= float64(heads) / float64(n-heads+1)
	}
	return p
}

// Undecided runs count for neither side.
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

// next returns the number of runs that a load should have after the next round. An interval is
// checked at most twice, because each check adds to the probability of a wrong verdict.
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

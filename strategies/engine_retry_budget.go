package strategies

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/param"
)

// A budget bounds the further attempts at all tasks by the number of tasks, so that a target in
// trouble is not called several times as often for it. It is a bucket of tokens: each task that is
// accepted puts a share of one in, each further attempt takes one out, and without one the attempt
// that has failed was the last.
//
// The retry budget of Finagle is counted so (RetryBudget: deposit and withdraw). That of gRPC takes
// tokens for failures and puts them back for successes (proposal A6, throttling of retries); from
// there is the size of the bucket, ten, which is full at first. A bucket that is not bounded, or by
// time alone, would let all that a calm day has saved meet the first minute of trouble.
type budget struct {
	share int64 // of one task, in millionths of a token
	left  atomic.Int64
}

const (
	oneToken   = 1_000_000
	mostTokens = 10 * oneToken
)

var budgetKey = param.Key{Name: "budget", Kind: param.Float, Default: "0",
	Doc: "further attempts for each task that comes, over all tasks: with 0.1 one for ten; up to " +
		"ten are saved; 0: as many as attempts says"}

// checkBudget is about the budget in the parameters of a part.
func checkBudget(v param.Values) error {
	if b := v.Float("budget"); b < 0 || b > maxAttempts || b > 0 && b < 1e-6 {
		return fmt.Errorf("budget %v: want 0, or 0.000001 to %d", b, maxAttempts)
	}
	return nil
}

// newBudget is nil where there is no bound.
func newBudget(v param.Values) *budget {
	share := int64(math.Round(v.Float("budget") * oneToken))
	if share == 0 {
		return nil
	}
	b := &budget{share: share}
	b.left.Store(mostTokens)
	return b
}

// deposit is for a task that has been accepted.
func (b *budget) deposit() {
	if b != nil {
		b.add(b.share)
	}
}

// withdraw is for a further attempt, and says whether it may be made.
func (b *budget) withdraw() bool { return b == nil || b.add(-oneToken) }

// add changes what is left, which stays from none to the most; it says whether there was enough.
func (b *budget) add(tokens int64) bool {
	for {
		left := b.left.Load()
		if left+tokens < 0 {
			return false
		}
		if b.left.CompareAndSwap(left, min(left+tokens, mostTokens)) {
			return true
		}
	}
}

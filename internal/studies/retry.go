package studies

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// The sources are the post-mortem of a scraper and Marc Brooker, "Exponential Backoff And Jitter"
// (AWS Architecture Blog, 2015). Tasks retry in the worker, at most 16 at a time, or from a delayed
// queue, about 270 at a time. A refusal takes no time here. A retry at once comes after 10 ms for
// the round trip, which a backoff includes.
//
// A case is a target. It meets the claim if no other way to complete the batch needs over 1 % fewer
// calls per task than the best way with exponential backoff and jitter alone.
var _ = register(Study{
	Name: "retry",
	Question: "which retry policy completes a batch at a rate limit, with how many calls, and in " +
		"which time?",
	Claim:  "exponential backoff with jitter completes a rate-limited batch with the fewest calls",
	Count:  [3]int{2, 4, 10},
	Budget: 5 * time.Second,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, dest := range retryTargets {
			for _, way := range retryWays(dest) {
				cells = append(cells, retryCell(dest, way.strategy))
			}
		}
		for _, place := range retryPlaces {
			for _, n := range retryBounds {
				cells = append(cells, retryCell(retryTargets[0], retryBounded(place, n)))
			}
			for _, n := range poisonBounds {
				cells = append(cells, poisonCell(place, n))
			}
		}
		return append(cells, faultCell(retryTries))
	},
	Decides: []string{metric.Attempts, metric.Throttled},
	Advice: evidence.Sentences{
		Holds:       "retry with exponential backoff and jitter",
		DoesNotHold: "limit the rate in the client: backoff with jitter needs more calls",
		Depends:     "find out how the target limits calls before you choose a retry policy",
	},
	Judge: judgeRetry,
	Draw:  []drawing{drawRetryWays, drawPoison},
})

const (
	retryBatch = 1000
	retryPool  = 16
	retryRate  = 50 // long-term rate of each target, in calls per second
	// retryTries bounds the attempts in the parts that do not vary it. About one in 13 of 16
	// simultaneous retries gets a slot: with 100 attempts one task in 3000 would fail, with 200 one
	// in ten million.
	retryTries = 200
)

// Burst 0 means that the target limits concurrent calls instead of the rate.
type retryTarget struct {
	target string
	burst  int
}

// With tasks of 100 ms, this is about 50 calls per second.
const retryCap = 5

// floor returns the minimum time for the batch, in seconds.
func (d retryTarget) floor(meanService float64) float64 {
	if d.burst == 0 {
		return retryBatch * meanService / retryCap
	}
	return float64(retryBatch-d.burst) / retryRate
}

func (d retryTarget) name() string {
	name, _, _ := strings.Cut(d.target, ":")
	return name
}

var retryTargets = []retryTarget{
	{"token_bucket:rate=50,burst=10", 10},
	{"fixed_window:limit=50", 50},
	{"sec_ban:limit=50", 50},
	{fmt.Sprintf("concurrency_cap:limit=%d", retryCap), 0},
}

var (
	retryPlaces = []string{"retry_in_place", "retry_queue"}
	retryWhere  = map[string]string{"retry_in_place": "in place", "retry_queue": "queued"}
	retryBounds = []int{3, 10, 30}
)

const (
	retryNone         = "no retry"
	retryAtOnce       = "no backoff"
	retryBare         = "exponential without jitter"
	retryFull         = "full jitter"
	retryDecorrelated = "decorrelated jitter"
	retryHinted       = "Retry-After"
	retryBoth         = "Retry-After and jitter"
	retryPaced        = "a client-side token bucket"
)

var retryKinds = []struct{ kind, how string }{
	{retryAtOnce, "base=10ms,cap=10ms,jitter=none,after=ignore"},
	{retryBare, "base=1s,jitter=none,after=ignore"},
	{retryFull, "base=1s,after=ignore"},
	{retryDecorrelated, "base=1s,jitter=decorrelated,after=ignore"},
	{retryHinted, "base=1s,after=heed"},
	{retryBoth, "base=1s"},
}

type retryWay struct{ kind, place, strategy string }

func (w retryWay) jittered() bool {
	return w.kind == retryFull || w.kind == retryDecorrelated
}

// Without a rate, a target cannot compute a Retry-After.
func retryWays(dest retryTarget) []retryWay {
	rate := "target"
	if dest.burst == 0 { // the target limits no rate
		rate = strconv.Itoa(retryRate)
	}
	ways := []retryWay{
		{kind: retryNone, strategy: pooled},
		{kind: retryPaced, strategy: "token_bucket:rate=" + rate + ",burst=1"},
	}
	for _, place := range retryPlaces {
		for _, k := range retryKinds {
			if hint := k.kind == retryHinted || k.kind == retryBoth; hint && dest.burst == 0 {
				continue
			}
			ways = append(ways, retryWay{k.kind, place,
				retryBounded(place, retryTries) + "," + k.how})
		}
	}
	return ways
}

func retryBounded(place string, attempts int) string {
	return fmt.Sprintf("%s:attempts=%d", place, attempts)
}

func retryCell(dest retryTarget, name string) bench.Scenario {
	sc := scenario(name, "lognormal:mean=100ms", loadOf("batch", 0), bench.Stop{Tasks: retryBatch})
	sc.Limit, sc.Target = retryPool, target(dest.target)[0]
	// The producer waits for a free slot, so retries do not queue behind the whole batch.
	sc.Queue = bench.NoQueue
	return sc
}

func faultCell(attempts int) bench.Scenario {
	return retryCell(retryTarget{target: "flaky:errors=0.1,spikes=0"},
		retryBounded("retry_queue", attempts))
}

func (w retryWay) name() string {
	if w.place == "" {
		return w.kind
	}
	return fmt.Sprintf("%s (%s)", w.kind, retryWhere[w.place])
}

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

// retry has a batch of a thousand tasks at targets that serve about 50 calls a second, and tries
// again what they refuse, in six ways: at once; with exponential backoff, without jitter, with full
// jitter or with decorrelated jitter; when the target said (Retry-After); and some full jitter
// after that. In the worker, where 16 tasks at most try again, or from a delayed queue, where some
// 270 do. The sources are the post-mortem of a scraper, by which refusals "require exponential
// backoff and jitter", and a task that never succeeds "burns the rate limit" unless attempts are
// bounded; and Marc Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
//
// A refusal takes no time here. Who comes back at once does so after 10 ms, for the way there and
// back; the others have that in their backoff. The concurrency cap cannot say when to come again,
// so nobody listens to it.
//
// The claim holds where, at every target, no other way that gets the whole batch done takes fewer
// calls a task (by more than 1 %) than the best of those with exponential backoff and jitter, after
// a Retry-After or without; it does not hold where at every target another one does, and depends on
// the target where there is both, by the intervals over the repetitions. A token bucket of one's
// own, which never asks too early, is one of the other ways. What the bound on attempts costs good
// tasks that are only refused is said beside, and what it saves them where a twentieth of the tasks
// is poison, refused for good.
var _ = register(Study{
	Name: "retry",
	Question: "which retry policy gets a batch past a rate limit, with how many calls, and " +
		"how late?",
	Claim:  "exponential backoff with jitter gets a rate-limited batch done with the fewest calls",
	Count:  [3]int{2, 4, 10},
	Budget: 5 * time.Second,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, door := range retryDoors {
			for _, way := range retryWays(door) {
				cells = append(cells, retryCell(door, way.strategy))
			}
		}
		for _, place := range retryPlaces {
			for _, n := range retryBounds {
				cells = append(cells, retryCell(retryDoors[0], retryBounded(place, n)))
			}
			for _, n := range poisonBounds {
				cells = append(cells, poisonCell(place, n))
			}
		}
		return append(cells, faultCell(retryTries))
	},
	Decides: []string{metric.Attempts, metric.Throttled},
	Advice: evidence.Sentences{
		Holds:       "try again with exponential backoff and jitter",
		DoesNotHold: "limit the rate on your own side; backoff with jitter takes more calls",
		Depends:     "learn how the target limits before you choose how to try again",
	},
	Judge: judgeRetry,
	Draw:  []drawing{drawRetryWays, drawPoison},
})

const (
	retryBatch = 1000
	retryPool  = 16 // slots of the pool
	retryRate  = 50 // calls a second that each target serves in the long run
	// retryTries is the bound on attempts where it is not what is asked about. Of 16 that come back
	// at one instant for one slot, one in some 13 gets it: with 100 attempts a task in 3000 would
	// have no luck, with 200 one in ten million.
	retryTries = 200
)

// A retryDoor is a target, and the calls that it serves at once after a pause; 0: it bounds how
// many it serves at once, and no rate.
type retryDoor struct {
	target string
	burst  int
}

// retryCap is how many calls the door without a rate serves at once: tasks of 100 ms are about 50 a
// second.
const retryCap = 5

// floor is the time in which the target can serve the batch: at its rate, or all the work of a run
// at all of its slots.
func (d retryDoor) floor(meanService float64) float64 {
	if d.burst == 0 {
		return retryBatch * meanService / retryCap
	}
	return float64(retryBatch-d.burst) / retryRate
}

// name is the target's without its parameters.
func (d retryDoor) name() string {
	name, _, _ := strings.Cut(d.target, ":")
	return name
}

// All but the last say when to come again; the last cannot know.
var retryDoors = []retryDoor{
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

// The ways to try again, and two ways not to.
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

// retryKinds are the six ways, in the order of the figure, each with its parameters: a backoff of
// 1 s that doubles up to 10 s, but for the one that has none.
var retryKinds = []struct{ kind, how string }{
	{retryAtOnce, "base=10ms,cap=10ms,jitter=none,after=ignore"},
	{retryBare, "base=1s,jitter=none,after=ignore"},
	{retryFull, "base=1s,after=ignore"},
	{retryDecorrelated, "base=1s,jitter=decorrelated,after=ignore"},
	{retryHinted, "base=1s,after=heed"},
	{retryBoth, "base=1s"},
}

// A retryWay is a strategy, and what kind of way it is.
type retryWay struct{ kind, place, strategy string }

// jittered reports whether the way is one that the claim is about.
func (w retryWay) jittered() bool {
	return w.kind == retryFull || w.kind == retryDecorrelated || w.kind == retryBoth
}

// retryWays are those to get past a door: where no hint is given, nobody heeds one.
func retryWays(door retryDoor) []retryWay {
	rate := "target"
	if door.burst == 0 { // it limits no rate
		rate = strconv.Itoa(retryRate)
	}
	ways := []retryWay{
		{kind: retryNone, strategy: pooled},
		{kind: retryPaced, strategy: "token_bucket:rate=" + rate + ",burst=1"},
	}
	for _, place := range retryPlaces {
		for _, k := range retryKinds {
			if hint := k.kind == retryHinted || k.kind == retryBoth; hint && door.burst == 0 {
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

func retryCell(door retryDoor, name string) bench.Scenario {
	sc := scenario(name, "lognormal:mean=100ms", by("batch", 0), bench.Stop{Tasks: retryBatch})
	sc.Limit, sc.Target = retryPool, target(door.target)[0]
	// the producer hands over what there is a slot for: what is tried again does not stand behind
	// the whole batch
	sc.Queue = bench.NoQueue
	return sc
}

// faultCell has a tenth of the tasks fail, in a way that says that it is no refusal.
func faultCell(attempts int) bench.Scenario {
	return retryCell(retryDoor{target: "flaky:errors=0.1,spikes=0"},
		retryBounded("retry_queue", attempts))
}

// name is a row of the figure.
func (w retryWay) name() string {
	if w.place == "" {
		return w.kind
	}
	return fmt.Sprintf("%s (%s)", w.kind, retryWhere[w.place])
}

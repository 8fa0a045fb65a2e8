package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// retry has a batch of a thousand tasks at targets that serve about 50 calls a second, and tries again what they refuse: at once or
// when the target said, with jitter of one width, with jitter that doubles; in the worker, or from a delayed queue. The source is the post-mortem
// of a scraper: refusals "require exponential backoff and jitter", and a task that never succeeds "burns the rate limit" unless attempts are bounded.
//
// Every strategy here waits as long as the target says (Retry-After) and adds its jitter to that. So jitter without a hint is what
// the concurrency cap sees, which gives none. Backoff without jitter, and decorrelated jitter, are in none of the strategies.
//
// The claim holds where, at every target, no other way that gets the whole batch done takes fewer calls a task (by more than 1 %) than the best
// of the exponential ones; it does not hold where at every target another one does; else it depends on the target. A token bucket of
// one's own, which never asks too early, is one of the other ways. What the bound on attempts costs and saves is said beside.
var _ = register(Study{
	Name:     "retry",
	Question: "which way to try again gets a batch past a rate limit, with how many calls, and how late?",
	Claim:    "exponential backoff with jitter gets a rate-limited batch done with the fewest calls",
	Count:    [3]int{1, 3, 10},
	Cells: func(Size) (cells []bench.Scenario) {
		for _, door := range retryDoors {
			for _, way := range retryWays() {
				cells = append(cells, retryCell(door, way.strategy))
			}
		}
		for _, place := range retryPlaces {
			for _, n := range retryBounds {
				cells = append(cells, retryCell(retryDoors[0], retryBounded(place, n)))
			}
		}
		for _, n := range poisonBounds {
			cells = append(cells, poisonCell(n))
		}
		return append(cells, faultCell(poisonBounds[0]), faultCell(retryTries))
	},
	Judge: judgeRetry,
	Draw:  drawRetry,
})

const (
	retryBatch = 1000
	retryRate  = 50 // calls a second that each target serves in the long run
	// retryTries is the bound on attempts where it is not what is asked about. Of 16 that come back at one instant for one place, one in
	// some 13 gets it: with 100 attempts a task in 3000 would have no luck, with 200 one in ten million.
	retryTries = 200
)

// A retryDoor is a target, and the calls that it serves at once after a pause; 0: it bounds how many it serves at once, and no rate.
type retryDoor struct {
	target string
	burst  int
}

// retryCap is how many calls the door without a rate serves at once: tasks of 100 ms are about 50 a second.
const retryCap = 5

// floor is the time in which the target can serve the batch: at its rate, or all the work of a run at all of its places.
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
	retryBases  = []time.Duration{100 * time.Millisecond, time.Second}
	retryBounds = []int{3, 10, 30}
)

// The kinds of ways to try again.
const (
	retryNone        = "no second try"
	retryHinted      = "no jitter" // when the target said, or at once
	retryFlat        = "jitter of one width"
	retryExponential = "exponential jitter"
	retryPaced       = "a token bucket of one's own"
)

// A retryWay is a strategy, and what kind of way it is.
type retryWay struct {
	kind, place, strategy string
	base                  time.Duration
}

func retryWays() []retryWay {
	ways := []retryWay{
		{kind: retryNone, strategy: pooled},
		{kind: retryPaced, strategy: fmt.Sprintf("token_bucket:rate=%d,burst=1", retryRate)},
	}
	for _, place := range retryPlaces {
		ways = append(ways, retryWay{retryHinted, place, fmt.Sprintf("%s:attempts=%d,base=0s", place, retryTries), 0})
		for _, base := range retryBases {
			ways = append(ways,
				retryWay{retryFlat, place, fmt.Sprintf("%s:attempts=%d,base=%v,cap=%v", place, retryTries, base, base), base},
				retryWay{retryExponential, place, fmt.Sprintf("%s:attempts=%d,base=%v", place, retryTries, base), base})
		}
	}
	return ways
}

func retryBounded(place string, attempts int) string {
	return fmt.Sprintf("%s:attempts=%d", place, attempts)
}

func retryCell(door retryDoor, name string) bench.Scenario {
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    16,
		Workload: workload("lognormal:mean=100ms")[0],
		Target:   target(door.target)[0],
		Load:     bench.Load{Arrival: arrival("batch")[0]},
		Stop:     bench.Stop{Tasks: retryBatch},
		Seed:     1,
		Clock:    bench.Virtual,
	}
}

// poisonBounds are bounds on attempts at tasks that never succeed; the last is as good as none.
var poisonBounds = []int{3, 30, 1000}

// poisonTasks is how many of them there are, and one more, which stands in the only door for a day.
const poisonTasks = 100

func poisonCell(attempts int) bench.Scenario {
	sc := retryCell(retryDoor{target: "concurrency_cap:limit=1"}, retryBounded("retry_queue", attempts))
	sc.Workload, sc.Timeout = workload("evil:p=1")[0], 24*time.Hour
	sc.Stop.Tasks = poisonTasks + 1
	return sc
}

// faultCell has a tenth of the tasks fail, in a way that says that it is no refusal.
func faultCell(attempts int) bench.Scenario {
	return retryCell(retryDoor{target: "flaky:errors=0.1,spikes=0"}, retryBounded("retry_queue", attempts))
}

// name is a row of the figure.
func (w retryWay) name() string {
	where := map[string]string{"retry_in_place": ", in place", "retry_queue": ", queued"}[w.place]
	if w.base > 0 {
		return fmt.Sprintf("%s, %v%s", w.kind, w.base, where)
	}
	return w.kind + where
}

// A retryOutcome is what became of a batch: the share of it that was lost, the calls for each task that was not, and the seconds to its end.
type retryOutcome struct {
	way                  retryWay
	lost, calls, seconds float64
	floor                float64 // the least seconds that the target could have taken
}

func retryOf(m *measured, door retryDoor, way retryWay) retryOutcome {
	sc := retryCell(door, way.strategy)
	lost := m.mean(sc, "throttled/op").mid
	return retryOutcome{way, lost, m.mean(sc, "attempts/op").mid / (1 - lost), m.mean(sc, "makespan-sec").mid, door.floor(m.mean(sc, "mean-service-sec").mid)}
}

// String has the numbers that ways are compared by.
func (o retryOutcome) String() string {
	return fmt.Sprintf("%s a task in %s s", counted(o.calls, "call"), short(o.seconds))
}

// retryFewest is, of the ways that get all done, the one with the fewest calls; of those with as many, within 1 %, the fastest.
func retryFewest(all []retryOutcome, of func(retryWay) bool) (best retryOutcome, ok bool) {
	for _, o := range all {
		if o.lost > 0 || !of(o.way) {
			continue
		}
		if !ok || o.calls < best.calls/1.01 || o.calls <= best.calls*1.01 && o.seconds < best.seconds {
			best, ok = o, true
		}
	}
	return best, ok
}

func judgeRetry(m *measured) Finding {
	var lines, wins, losses []string
	among := 0 // targets at which no other way that tries again takes fewer calls
	for _, door := range retryDoors {
		var all []retryOutcome
		for _, way := range retryWays() {
			o := retryOf(m, door, way)
			if math.IsNaN(o.lost + o.calls + o.seconds) {
				return undecided("%s was not measured at %s", way.strategy, door.target)
			}
			all = append(all, o)
		}
		backoff, done := retryFewest(all, func(w retryWay) bool { return w.kind == retryExponential })
		other, rival := retryFewest(all, func(w retryWay) bool { return w.kind != retryExponential })
		again, same := retryFewest(all, func(w retryWay) bool { return w.kind == retryHinted || w.kind == retryFlat })
		if done && (!same || backoff.calls <= 1.01*again.calls) {
			among++
		}
		switch {
		case done && (!rival || backoff.calls <= 1.01*other.calls):
			wins = append(wins, fmt.Sprintf("%s (%s, %v)", door.name(), backoff.way.strategy, backoff))
		case rival:
			losses = append(losses, fmt.Sprintf("%s (%s, %v)", door.name(), other.way.strategy, other))
		default:
			return undecided("nothing gets the batch done at %s", door.target)
		}
		if !done {
			backoff = other
		}
		lines = append(lines, retryLine(door, backoff.floor, all))
	}
	var f Finding
	switch {
	case len(losses) == 0:
		f = found(Holds, "the fewest calls that get all done are those of exponential backoff at each target: %s", strings.Join(wins, ", "))
	case len(wins) == 0:
		f = found(DoesNotHold, "another way takes fewer calls at each target: %s", strings.Join(losses, ", "))
	default:
		f = found(Depends, "on the target: exponential backoff takes the fewest calls at %s; another way does at %s", strings.Join(wins, ", "), strings.Join(losses, ", "))
	}
	f.add("of the ways that try again, exponential jitter takes the fewest calls at %d of %d targets", among, len(retryDoors))
	f.Lines = append(append(f.Lines, lines...), retryBoundLines(m)...)
	return f
}

// retryLine says what the kinds come to at a target, each at the best of its bases.
func retryLine(door retryDoor, floor float64, all []retryOutcome) string {
	var said []string
	for _, kind := range []string{retryHinted, retryFlat, retryExponential, retryPaced} {
		if best, ok := retryFewest(all, func(w retryWay) bool { return w.kind == kind }); ok {
			said = append(said, fmt.Sprintf("%s %v", kind, best))
			continue
		}
		least := 1.0
		for _, o := range all {
			if o.way.kind == kind {
				least = min(least, o.lost)
			}
		}
		said = append(said, fmt.Sprintf("%s loses %s at least", kind, percent(least)))
	}
	lost := all[slices.IndexFunc(all, func(o retryOutcome) bool { return o.way.kind == retryNone })].lost
	return fmt.Sprintf("%s, which can serve the batch in %s s, at the base with the fewest calls: %s; %s loses %s",
		door.name(), short(floor), strings.Join(said, ", "), retryNone, percent(lost))
}

// retryBoundLines says what a bound on attempts loses of tasks that were only refused, and what it saves on those that never succeed.
func retryBoundLines(m *measured) (lines []string) {
	for _, place := range retryPlaces {
		var said []string
		for _, n := range retryBounds {
			if o := retryOf(m, retryDoors[0], retryWay{strategy: retryBounded(place, n)}); !math.IsNaN(o.lost) {
				said = append(said, fmt.Sprintf("%s with %d", percent(o.lost), n))
			}
		}
		if len(said) > 0 {
			lines = append(lines, fmt.Sprintf("at most so many attempts make %s give up good tasks of the batch at %s: %s", place, retryDoors[0].name(), strings.Join(said, ", ")))
		}
	}
	var said []string
	for _, n := range poisonBounds {
		if v := m.mean(poisonCell(n), "attempts/op").mid; !math.IsNaN(v) {
			said = append(said, fmt.Sprintf("%.0f calls with at most %d attempts", (v*(poisonTasks+1)-1)/poisonTasks, n))
		}
	}
	if len(said) > 0 {
		lines = append(lines, fmt.Sprintf("a task that is refused for good costs %s: the bound, and a dead letter, are all that ends it", strings.Join(said, ", ")))
	}
	if v := m.mean(faultCell(retryTries), "attempts/op").mid; !math.IsNaN(v) {
		lines = append(lines, fmt.Sprintf("a task whose failure says that it is no refusal costs %s, with up to %d attempts allowed", counted(v, "call"), retryTries))
	}
	return lines
}

// counted writes a number of things: 1 call, 2.5 calls.
func counted(v float64, thing string) string {
	if v == 1 {
		return "1 " + thing
	}
	return short(v) + " " + thing + "s"
}

func drawRetry(m *measured) ([]reports.Figure, error) {
	ways := retryWays()
	var rows []string
	var cells []bench.Scenario
	for _, way := range ways {
		rows = append(rows, way.name())
		cells = append(cells, retryCell(retryDoors[0], way.strategy))
	}
	calls := charts.RowPanel{Title: "calls", X: charts.Axis{Label: "calls a task (log scale)", Log: true, Format: short, Reach: []float64{1}}, Levels: []charts.Level{{Name: "the least possible", Y: 1}}}
	late := charts.RowPanel{Title: "time", X: charts.Axis{Label: "time to the end ÷ the least possible (log scale)", Log: true, Format: short, Reach: []float64{1}}, Levels: calls.Levels}
	lost := charts.RowPanel{Title: "losses", X: charts.Axis{Label: "share of the tasks that was given up", Format: percent, Reach: []float64{0, 1}}}
	nan := math.NaN()
	for i, door := range retryDoors {
		var values [3][]charts.RowValue
		for _, way := range ways {
			o := retryOf(m, door, way)
			at := [3]float64{o.calls, o.seconds / o.floor, o.lost}
			if o.lost > 0 {
				at[0], at[1] = nan, nan
			}
			for j := range at {
				values[j] = append(values[j], charts.RowValue{Mid: at[j], Lo: nan, Hi: nan})
			}
		}
		for j, p := range []*charts.RowPanel{&calls, &late, &lost} {
			p.Series = append(p.Series, charts.RowSeries{Name: door.name(), Style: i, Values: values[j]})
		}
	}
	c, err := charts.Rows("Trying again past a rate limit: how many calls, how late, and what is lost", rows, []charts.RowPanel{calls, late, lost})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("A batch of %d tasks, 16 at once, at targets that serve about %d calls a second", retryBatch, retryRate)
	return []reports.Figure{{Name: "retry", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("The jitter comes on top of what the target asks for, which %s cannot say; its time is the most before the second attempt, and exponential jitter doubles it up to 10 s.", retryDoors[len(retryDoors)-1].name()),
		"In place: the worker sleeps. Queued: it goes on to the next task, which meets the same refusal.",
		fmt.Sprintf("There are at most %d attempts at a task. Calls and time are shown where nothing was lost. The least time is (N − burst)/rate, and at the last target all the work over its places.", retryTries),
		fmt.Sprintf("The means of %s repetitions.", m.repetitions(cells)),
	}, " ")}}, nil
}

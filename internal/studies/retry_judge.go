package studies

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
)

type retryOutcome struct {
	way                  retryWay
	lost, calls, seconds float64
	floor                float64 // minimum seconds at the target
}

func retryOf(m *evidence.Measured, dest retryTarget, way retryWay) retryOutcome {
	sc := retryCell(dest, way.strategy)
	lost := m.Mean(sc, metric.Throttled).Mid
	return retryOutcome{way, lost, m.Mean(sc, metric.Attempts).Mid / (1 - lost),
		m.Mean(sc, metric.Makespan).Mid, dest.floor(m.Mean(sc, metric.MeanService).Mid)}
}

func judgeRetry(m *evidence.Measured) decide.Finding {
	const backoff = "exponential backoff with jitter"
	r := evidence.Ruling{Of: "target", Number: "calls", Format: evidence.Interval.Factor}
	var winners, dests []string
	heads := []string{"calls a task, time"}
	for _, dest := range retryTargets {
		var all []retryOutcome
		for _, way := range retryWays(dest) {
			o := retryOf(m, dest, way)
			if math.IsNaN(o.lost + o.calls + o.seconds) {
				return evidence.Missing("%s was not measured at %s", way.strategy, dest.target)
			}
			all = append(all, o)
		}
		winner, done := retryFewest(all, retryWay.jittered)
		other, rival := retryFewest(all, func(w retryWay) bool { return !w.jittered() })
		ratio := evidence.Point(math.Inf(-1)) // no other policy loses no task
		switch {
		case !done && !rival:
			return evidence.Missing("no policy completes the batch at %s", dest.target)
		case !done:
			ratio, winner = evidence.Point(math.Inf(1)), other
		case rival:
			if ratio = retryCalls(m, dest, winner.way, other.way); winner.calls > retryTie*other.calls {
				winner = other
			}
		}
		if math.IsInf(ratio.Mid, 0) {
			ratio.Lo, ratio.Hi = ratio.Mid, ratio.Mid
		}
		r.AtMost(dest.name(), ratio, retryTie)
		winners, dests = append(winners, winner.way.name()), append(dests, dest.name())
		heads = append(heads, dest.name())
	}
	f := r.Find(evidence.Sentences{
		Holds:       backoff + " needs the fewest calls at every target, ÷ the best other policy's",
		DoesNotHold: backoff + " needs the fewest calls at no target, ÷ the best other policy's",
		Depends:     "on the target",
	}, "whether any policy needs fewer calls than "+backoff)
	if f.Verdict == decide.Depends {
		f.Advice = "take " + evidence.Grouped("at", winners, dests)
	}
	met := []string{"claim met"}
	for _, row := range r.Table().Rows {
		met = append(met, row[len(row)-1])
	}
	f.Table = &decide.Table{Heads: heads, Rows: append(retryRows(m), met)}
	answerBounds(m, &f)
	answerPoison(m, &f)
	return f
}

func retryRows(m *evidence.Measured) (rows [][]string) {
	for _, way := range retryWays(retryTargets[0]) {
		row := []string{way.name()}
		for _, dest := range retryTargets {
			cell, of := evidence.Dash, retryWays(dest)
			at := slices.IndexFunc(of, func(w retryWay) bool { return w.name() == way.name() })
			if at >= 0 {
				if o := retryOf(m, dest, of[at]); o.lost > 0 {
					cell = text.ShortShare(o.lost) + " lost"
				} else {
					cell = text.Short(o.calls) + ", " + text.ShortSeconds(o.seconds)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// retryFewest returns, of the ways that complete all tasks, the one with the fewest calls, or the
// fastest within a factor of retryTie.
func retryFewest(all []retryOutcome, of func(retryWay) bool) (best retryOutcome, ok bool) {
	for _, o := range all {
		if o.lost != 0 || !of(o.way) { // or the way was not run
			continue
		}
		if !ok || o.calls < best.calls/retryTie || o.calls <= best.calls*retryTie &&
			o.seconds < best.seconds {
			best, ok = o, true
		}
	}
	return best, ok
}

const retryTie = 1.01

func retryCalls(m *evidence.Measured, dest retryTarget, way, other retryWay) evidence.Interval {
	calls := func(r evidence.Run) float64 { return r(metric.Attempts) / (1 - r(metric.Throttled)) }
	return evidence.OfProduct(m.Pairs(retryCell(dest, way.strategy),
		retryCell(dest, other.strategy), func(way, other evidence.Run) float64 {
			return calls(way) / calls(other)
		}))
}

func answerBounds(m *evidence.Measured, f *decide.Finding) {
	for _, place := range retryPlaces {
		var shares, bounds []string
		for _, n := range retryBounds {
			if o := retryOf(m, retryTargets[0],
				retryWay{strategy: retryBounded(place, n)}); !math.IsNaN(o.lost) {
				shares, bounds = append(shares, text.ShortShare(o.lost)), append(bounds,
					fmt.Sprint(n))
			}
		}
		if len(shares) > 0 {
			f.Add("a bound on attempts makes %s lose good tasks at %s: %s",
				place, retryTargets[0].name(), evidence.Grouped("with", shares, bounds))
		}
	}
	if v := m.Mean(faultCell(retryTries), metric.Attempts).Mid; !math.IsNaN(v) {
		f.Add("a task that fails without a refusal needs %s, although %d attempts are allowed",
			evidence.Counted(v, "call"), retryTries)
	}
}

func drawRetryWays(m *evidence.Measured) evidence.Figure {
	return evidence.Figure{
		Name:  "retry",
		Title: "Retrying past a rate limit: calls, lateness and losses",
		Subtitle: fmt.Sprintf("Calls per task and total time for a batch of %d tasks, %d at "+
			"once, with targets that serve about %d calls per second", retryBatch, retryPool, retryRate),
		Caption: []string{
			fmt.Sprintf("The backoff is 1 s, doubled up to 10 s. \"No backoff\" is 10 ms, for "+
				"the round trip. %s cannot report when to retry.",
				retryTargets[len(retryTargets)-1].name()),
			"In place: the worker sleeps. Queued: the worker continues with the next task, which " +
				"is refused, too.",
			fmt.Sprintf("A task has at most %d attempts. Calls and time are shown if no task was "+
				"lost. The least time is (N − burst)/rate, and at the last target all the work "+
				"over its slots.", retryTries),
			fmt.Sprintf("Means of %s repetitions.",
				m.Repetitions([]bench.Scenario{retryCell(retryTargets[0], pooled)})),
		},
	}.Finding(judgeRetry(m))
}

package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
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

func (o retryOutcome) String() string {
	return fmt.Sprintf("%s a task and %s", evidence.Counted(o.calls, "call"),
		text.ShortSeconds(o.seconds))
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

func judgeRetry(m *evidence.Measured) decide.Finding {
	var outcomes [][]retryOutcome
	var r evidence.Ruling
	var best, winners, dests []string
	among := 0 // targets at which no other way with retries needs fewer calls
	for _, dest := range retryTargets {
		var all []retryOutcome
		for _, way := range retryWays(dest) {
			o := retryOf(m, dest, way)
			if math.IsNaN(o.lost + o.calls + o.seconds) {
				return evidence.Missing("%s was not measured at %s", way.strategy, dest.target)
			}
			all = append(all, o)
		}
		outcomes = append(outcomes, all)
		backoff, done := retryFewest(all, retryWay.jittered)
		other, rival := retryFewest(all, func(w retryWay) bool { return !w.jittered() })
		again, same := retryFewest(all, func(w retryWay) bool {
			return !w.jittered() && w.place != ""
		})
		if done && (!same || backoff.calls <= retryTie*again.calls) {
			among++
		}
		winner := backoff
		switch {
		case !done && !rival:
			return evidence.Missing("no way completes the batch at %s", dest.target)
		case !done:
			winner = other
			r.AtMost(evidence.Interval{Mid: math.Inf(1), Lo: math.Inf(1), Hi: math.Inf(1)},
				retryTie, "loses tasks at %s", dest.name())
		case !rival:
			r.AtMost(evidence.Interval{}, retryTie, "it alone loses no task at %s",
				dest.name())
		default:
			ratio := retryCalls(m, dest, backoff.way, other.way)
			r.AtMost(ratio, retryTie, "%s times the calls of %s at %s", ratio,
				other.way.name(), dest.name())
			if backoff.calls > retryTie*other.calls {
				winner = other
			}
		}
		winners, dests = append(winners, winner.way.name()), append(dests, dest.name())
		best = append(best, fmt.Sprintf("%s at %s (%v)", winner.way.name(), dest.name(), winner))
	}
	const backoff = "exponential backoff with jitter"
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("%s needs the fewest calls at every target: %s", backoff,
			evidence.Series(r.So())),
		DoesNotHold: fmt.Sprintf("%s needs the fewest calls at no target: it needs %s", backoff,
			evidence.Series(r.Not())),
		Depends: fmt.Sprintf("on the target: %s needs %s, but %s", backoff, evidence.Series(r.So()),
			evidence.Series(r.Not())),
	}, "whether any way needs fewer calls than %s", backoff)
	if f.Verdict == decide.Depends {
		f.Advice = "take " + evidence.Grouped("at", winners, dests)
	}
	f.Add("the fewest calls without a loss: %s", strings.Join(best, ", "))
	f.Add("of the ways that retry, %s needs the fewest calls at %d of %d targets", backoff,
		among, len(retryTargets))
	f.Add("ways that do not retry: %s", strings.Join(targetLines(outcomes, ""), "; "))
	for _, place := range retryPlaces {
		for _, line := range targetLines(outcomes, place) {
			f.Add("retries %s, %s", retryWhere[place], line)
		}
	}
	answerJitter(outcomes, &f)
	answerBounds(m, &f)
	answerPoison(m, &f)
	return f
}

func targetLines(outcomes [][]retryOutcome, place string) (lines []string) {
	for i, all := range outcomes {
		var done, lossy []string
		floor := 0.0
		for _, o := range all {
			switch {
			case o.way.place != place:
			case o.lost > 0:
				lossy = append(lossy, fmt.Sprintf("%s (%s)", o.way.kind,
					text.ShortShare(o.lost)))
			default:
				done = append(done, fmt.Sprintf("%s %v", o.way.kind, o))
			}
			floor = max(floor, o.floor)
		}
		if lost := evidence.Said(lossy, "tasks are lost by"); lost != "" {
			done = append(done, lost)
		}
		lines = append(lines, fmt.Sprintf("at %s, which needs %s at least: %s",
			retryTargets[i].name(), text.ShortSeconds(floor), strings.Join(done, ", ")))
	}
	return lines
}

func answerJitter(outcomes [][]retryOutcome, f *decide.Finding) {
	for _, place := range retryPlaces {
		var said []string
		for i, all := range outcomes {
			of := func(kind string) (retryOutcome, bool) {
				return retryFewest(all, func(w retryWay) bool {
					return w == retryWay{kind, place, w.strategy}
				})
			}
			bare, done := of(retryBare)
			jittered, too := of(retryFull)
			if done && too {
				said = append(said, fmt.Sprintf("%s times at %s",
					text.Short(bare.seconds/jittered.seconds), retryTargets[i].name()))
			}
		}
		if len(said) > 0 {
			f.Add("retries %s, exponential backoff: without jitter the batch takes so many times "+
				"as long as with full jitter: %s", retryWhere[place], evidence.Series(said))
		}
	}
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
		f.Add("a task that fails other than by a refusal takes %s, though %d attempts are allowed",
			evidence.Counted(v, "call"), retryTries)
	}
}

func drawRetryWays(m *evidence.Measured) evidence.Figure {
	var cells []bench.Scenario
	var heads []string
	var best []retryOutcome
	for _, dest := range retryTargets {
		heads = append(heads, dest.name())
		var all []retryOutcome
		for _, way := range retryWays(dest) {
			all = append(all, retryOf(m, dest, way))
		}
		o, _ := retryFewest(all, func(retryWay) bool { return true })
		best = append(best, o)
	}
	var parts []shell.TablePart
	place := "?"
	for _, way := range retryWays(retryTargets[0]) {
		cells = append(cells, retryCell(retryTargets[0], way.strategy))
		if way.place != place {
			place = way.place
			parts = append(parts, shell.TablePart{Title: retryTold[place]})
		}
		row := shell.TableRow{Name: way.kind}
		for i, dest := range retryTargets {
			cell := shell.Absent
			of := retryWays(dest)
			at := slices.IndexFunc(of, func(w retryWay) bool { return w.name() == way.name() })
			if at >= 0 {
				cell = retryOf(m, dest, of[at]).cell()
				cell.Best = of[at] == best[i].way
			}
			row.Cells = append(row.Cells, cell)
		}
		rows := &parts[len(parts)-1].Rows
		*rows = append(*rows, row)
	}
	return evidence.Figure{
		Name:  "retry",
		Title: "Retrying past a rate limit: calls, lateness and losses",
		Subtitle: fmt.Sprintf("Calls a task, and times the least possible time, of a batch of "+
			"%d tasks, %d at once, at targets that serve about %d calls a second", retryBatch,
			retryPool, retryRate),
		Caption: []string{
			fmt.Sprintf("The backoff is 1 s, doubled up to 10 s; no backoff is 10 ms, for the "+
				"way there and back. %s cannot report when to retry.",
				retryTargets[len(retryTargets)-1].name()),
			"In place: the worker sleeps. Queued: it goes on to the next task, which meets the " +
				"same refusal.",
			fmt.Sprintf("A task has at most %d attempts. Calls and time are shown where "+
				"nothing was lost, and the fewest calls at a target in bold. The least time is "+
				"(N − burst)/rate, and at the last target all the work over its slots.",
				retryTries),
			fmt.Sprintf("Numbers: means of %s repetitions.", m.Repetitions(cells)),
		},
	}.Table(shell.Table{Of: "way", Heads: heads, Parts: parts})
}

var retryTold = map[string]string{"": "one attempt a task", "retry_in_place": "retries in place",
	"retry_queue": "retries from a queue"}

func (o retryOutcome) cell() shell.TableCell {
	switch {
	case math.IsNaN(o.lost):
		return shell.Absent
	case o.lost > 0:
		return shell.TableCell{Text: text.ShortShare(o.lost) + " lost"}
	}
	return shell.TableCell{Text: evidence.Counted(o.calls, "call"),
		Below: text.Short(o.seconds/o.floor) + " × time"}
}

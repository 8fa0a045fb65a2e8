package studies

import (
	"fmt"
	"math"
	"strings"
)

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
	var outcomes [][]retryOutcome
	var wins, losses, best []string
	among := 0 // targets at which no other way that tries again takes fewer calls
	for _, door := range retryDoors {
		var all []retryOutcome
		for _, way := range retryWays(door) {
			o := retryOf(m, door, way)
			if math.IsNaN(o.lost + o.calls + o.seconds) {
				return undecided("%s was not measured at %s", way.strategy, door.target)
			}
			all = append(all, o)
		}
		outcomes = append(outcomes, all)
		backoff, done := retryFewest(all, retryWay.jittered)
		other, rival := retryFewest(all, func(w retryWay) bool { return !w.jittered() })
		again, same := retryFewest(all, func(w retryWay) bool { return !w.jittered() && w.place != "" })
		if done && (!same || backoff.calls <= 1.01*again.calls) {
			among++
		}
		switch {
		case done && (!rival || backoff.calls <= 1.01*other.calls):
			wins, best = append(wins, door.name()), append(best, fmt.Sprintf("%s (%s, %v)", door.name(), backoff.way.name(), backoff))
		case rival:
			losses, best = append(losses, door.name()), append(best, fmt.Sprintf("%s (%s, %v)", door.name(), other.way.name(), other))
		default:
			return undecided("nothing gets the batch done at %s", door.target)
		}
	}
	var f Finding
	switch {
	case len(losses) == 0:
		f = found(Holds, "the fewest calls that get all done are those of exponential backoff with jitter at each target: %s", strings.Join(wins, ", "))
	case len(wins) == 0:
		f = found(DoesNotHold, "another way takes fewer calls at each target: %s", strings.Join(losses, ", "))
	default:
		f = found(Depends, "on the target: exponential backoff with jitter takes the fewest calls at %s; another way does at %s", strings.Join(wins, ", "), strings.Join(losses, ", "))
	}
	f.add("the fewest calls: %s", strings.Join(best, ", "))
	f.add("of the ways that try again, exponential backoff with jitter takes the fewest calls at %d of %d targets", among, len(retryDoors))
	for _, place := range retryPlaces {
		for i, door := range retryDoors {
			f.add("%s, %s", retryWhere[place], retryLine(door, place, outcomes[i]))
		}
	}
	f.Lines = append(append(f.Lines, retryJitterLines(outcomes)...), append(retryBoundLines(m), poisonLines(m)...)...)
	return f
}

// retryLine says what the ways come to at a target, in a place.
func retryLine(door retryDoor, place string, all []retryOutcome) string {
	var said []string
	floor := 0.0
	for _, o := range all {
		switch {
		case o.way.place != "" && o.way.place != place:
		case o.lost > 0:
			said = append(said, fmt.Sprintf("%s loses %s", o.way.kind, percent(o.lost)))
		default:
			said = append(said, fmt.Sprintf("%s %v", o.way.kind, o))
		}
		floor = o.floor
	}
	return fmt.Sprintf("%s, which can serve the batch in %s s: %s", door.name(), short(floor), strings.Join(said, ", "))
}

// retryJitterLines say what full jitter is worth beside none, of ways that get all done.
func retryJitterLines(outcomes [][]retryOutcome) (lines []string) {
	for _, place := range retryPlaces {
		var said []string
		for i, all := range outcomes {
			of := func(kind string) (retryOutcome, bool) {
				return retryFewest(all, func(w retryWay) bool { return w == retryWay{kind, place, w.strategy} })
			}
			bare, done := of(retryBare)
			jittered, too := of(retryFull)
			if done && too {
				said = append(said, fmt.Sprintf("×%s at %s", short(bare.seconds/jittered.seconds), retryDoors[i].name()))
			}
		}
		if len(said) > 0 {
			lines = append(lines, fmt.Sprintf("time of exponential backoff without jitter over that with full jitter, %s: %s", retryWhere[place], strings.Join(said, ", ")))
		}
	}
	return lines
}

// retryBoundLines says what a bound on attempts loses of tasks that were only refused, and what a task costs that says that it failed.
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

package advise

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
)

// A Simplest is an option that is simpler than the recommendation and also meets the objectives.
type Simplest struct {
	Option
	But string // why it is not recommended, or ""
}

// simplest returns the simplest of the runners-up that meet the objectives, or nil if none is
// simpler than the recommendation.
func simplest(a *Answer) *Simplest {
	if a.Verdict != Meets {
		return nil
	}
	var best *Option
	parts := a.Recommendation.Strategy.Spec.Parts
	for i := range a.RunnersUp {
		o := &a.RunnersUp[i]
		if o.Verdict == objectives.Met && o.tried && o.Strategy.Spec.Parts < parts {
			best, parts = o, o.Strategy.Spec.Parts
		}
	}
	if best == nil {
		return nil
	}
	return &Simplest{*best, best.drawback(a.Recommendation)}
}

// drawback returns the reason to prefer the other option, in the order of function better.
func (o Option) drawback(than Option) string {
	if o.unproven != than.unproven {
		for _, s := range o.Stresses {
			if s.Verdict == objectives.Missed && than.survives(s.Name) {
				return s.effect() + " if " + condition(s.Name)
			}
		}
	}
	first := o.Promise.Mid/than.Promise.Mid - 1
	switch {
	case o.Limit > than.Limit:
		return fmt.Sprintf("the limit is %d instead of %d", o.Limit, than.Limit)
	case o.Holds < than.Holds:
		return fmt.Sprintf("it meets the objective only up to %v times the load, and not up to %v times",
			o.Holds, than.Holds)
	case !math.IsNaN(first) && math.Abs(first) >= 0.01:
		return "its promise differs by " + text.Change(1+first)
	}
	return ""
}

// survives reports whether the option meets the objectives under the stress.
func (o Option) survives(name string) bool {
	for _, s := range o.Stresses {
		if s.Name == name {
			return s.Verdict == objectives.Met
		}
	}
	return false
}

func (s Stress) effect() string {
	switch {
	case s.Unstable:
		return "its queue grows without limit"
	case s.Missed == metric.Throttled:
		return "requests are refused"
	case s.Missed == metric.Failed:
		return "requests fail"
	case s.Missed == metric.Shed:
		return "tasks are shed"
	}
	return "it misses the objective"
}

// condition returns the name of a stress in words.
func condition(name string) string {
	kind, factor, _ := strings.Cut(name, " x")
	by, err := strconv.ParseFloat(factor, 64)
	switch {
	case err != nil:
		return "there is " + name
	case kind == "load":
		return fmt.Sprintf("the load is %v times as high", by)
	case by < 1:
		return fmt.Sprintf("the service gets %v times faster", 1/by)
	}
	return fmt.Sprintf("the service takes %v times as long", by)
}

// queueReason returns why a queue of strategies that are not replaced by the recursion is as long
// as queueOf returns.
func (s *search) queueReason(o *Option) string {
	slots, has := o.Slots()
	_, recursed := o.reading.(*modelReading)
	exact := s.isExact(o.behaviour)
	switch {
	case !has:
		return ""
	case slots == s.question.queueAtMost(o.Limit):
		return "the longest that is allowed"
	case o.behaviour.sheds && exact:
		return "the shortest that sheds few enough tasks"
	case o.behaviour.sheds:
		return "8 times the limit"
	case exact || recursed:
		return "the longest queue of the simulation; if it is full, the caller waits"
	case s.recursionCovers:
		return "twice the longest queue of the simulation; if it is full, the caller waits"
	}
	return ""
}

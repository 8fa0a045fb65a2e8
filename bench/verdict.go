package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/files/rundir"
)

// Verdict says whether the numbers of a run may be believed.
type Verdict int

// The verdicts. A run has the worst that one of its reasons carries.
const (
	Valid Verdict = iota // nothing speaks against it
	// it is what was measured, but something beside the strategy is in it: the reasons say what and
	// how much
	Suspect
	Invalid // it is not a measurement of the strategy
)

func (v Verdict) String() string { return [...]string{"VALID", "SUSPECT", "INVALID"}[v] }

// A Reason is one that a run is not valid for.
type Reason struct {
	Verdict Verdict // what it makes of the run
	Check   string  // what was looked at: "pause", "lag", "drift" …; see verdict.go
	Text    string  // what was found, in words with their numbers
}

func (r Reason) String() string { return r.Check + ": " + r.Text }

// The checks, in the order in which a reader wants to hear of them, after rundir.CheckLaw.
const (
	checkPause      = "pause"      // the process stood still
	checkSaturation = "saturation" // the generator never caught up, though nothing held it up
	checkPlan       = "arrivals"   // the planned arrivals are not what they say they are
	// Poisson arrivals see something else than a random instant does
	checkPASTA   = "PASTA"
	checkLag     = "lag"          // the generator's own lateness
	checkStalls  = "stalls"       // a thread that should run did not, here and there
	checkMachine = "busy machine" // others wanted the processors
	// the target or the strategy stood still, and the machine did not
	checkStandstill = "standstill"
	checkSettling   = "slow settling" // the strategy kept results to itself
	checkHeldUp     = "full queue"    // a strategy that sorts tasks did not get them
	// a measured value differs from the exact one beyond its sampling error
	checkTheory = "theory"
	checkPool   = "overload"  // a pool of its own is offered more than it can do
	checkLength = "too short" // the interval of the result is as wide as the result
)

// Invalid reports whether the numbers cannot be relied on: the verdict is Invalid, or a law is
// broken.
func (r *Result) Invalid() bool { return r.Verdict == Invalid || len(r.Broken) > 0 }

// Drifts reports whether what was measured grew or fell while it was measured.
func (r *Result) Drifts() bool {
	return slices.ContainsFunc(r.Reasons, func(why Reason) bool { return why.Check == rundir.CheckDrift })
}

// Doubt adds a reason to think less of the run, and lets it down to that verdict.
func (r *Result) Doubt(v Verdict, check, format string, args ...any) {
	r.Reasons = append(r.Reasons, Reason{v, check, fmt.Sprintf(format, args...)})
	r.Verdict = max(r.Verdict, v)
}

// judgeAny makes the checks that need no times of tasks: broken laws, what whoever recorded the run
// doubts, and the machine.
func (o *observation) judgeAny(r *Result) {
	for _, law := range r.Broken {
		r.Doubt(Invalid, rundir.CheckLaw, "%s", law)
	}
	for _, d := range o.doubts {
		r.Doubt(d.Verdict, d.Check, "%s", d.Text)
	}
	if !o.plan.Virtual && o.seen != nil {
		o.checkMachine(r)
	}
}

// judge checks whether the run may be believed. The thresholds are with each check.
func (o *observation) judge(r *Result, first int, m measured, f flow, h held) {
	o.judgeAny(r)
	if !o.plan.Virtual {
		o.checkLag(r, first, m)
		if a := o.plan.Arrival; !a.IsClosed() && !a.Spec.AllAtOnce &&
			!o.trace.Merged() { // else no generator issued them all
			o.checkSaturation(r, m)
		}
		o.checkStandstill(r)
	}
	o.checkSettling(r, first)
	if !o.share {
		o.checkPlan(r)
		o.checkPASTA(r, f)
		o.checkPools(r)
		o.checkHeld(r, h)
		o.checkExact(r, first)
		o.checkDrift(r, first)
		o.checkLength(r, first, m)
	}
	r.add("verdict", float64(r.Verdict))
}

// poisson reports whether the plan is one of independent exponential gaps at one rate.
func (o *observation) poisson() bool { return o.plan.Arrival.Spec.Name == "poisson" }

// spell writes nanoseconds as a duration of three digits.
func spell(ns float64) string {
	d := time.Duration(ns)
	unit := time.Duration(1)
	for d/unit >= 1000 || -d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// percent puts a share into a sentence.
func percent(format string, share float64) string {
	return fmt.Sprintf(format, fmt.Sprintf("%.0f %%", 100*share))
}

package advise

import (
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
)

type Verdict string

const (
	Meets        Verdict = "meets"         // the recommendation surely meets the objectives
	NothingMeets Verdict = "nothing_meets" // no candidate meets them
	Undecided    Verdict = "undecided"     // the interval of the best candidate includes a bound
)

type Answer struct {
	Verdict        Verdict
	Objectives     objectives.List // including implicit ones
	Recommendation Option          // the nearest option if nothing meets the objectives
	RunnersUp      []Option        // the best first
	Simplest       *Simplest       // nil if the recommendation is the simplest
	Below          *Option         // the recommendation at the next smaller limit; nil if it is 1
	Above          *Option         // the recommendation at twice the limit
	Missing        []Missing       // if nothing meets the objectives, changes that would
	Work           WorkSummary
	NotLooked      []string // candidates that were not tried, with the reason
	Tasks          int      // simulated by strategies' own code
	Replayed       bool     // the recursion computed the pools
	Recorded       bool     // the traffic is one plan and not a process
	// tasks per own-code run, and of the record; 0 if runs include the whole record
	Ran, Record int
}

type Option struct {
	Strategy  strategies.Variant
	Ties      []strategies.Variant // strategies that are equal by contract
	Limit     int
	Queue     int      // slots of its queue, as in bench.Scenario. 0 without a queue
	QueueWhy  string   // why the queue is so long; "" if it is unknown
	Rate      float64  // tasks started per second. 0: unlimited
	Promise   Figure   // the metric of the first objective
	Figures   []Figure // the metrics of all objectives
	Verdict   objectives.Verdict
	Regret    float64 // promise relative to that of the recommendation. NaN: unknown
	Holds     float64 // largest load factor at which it meets the objectives. NaN: unknown
	Stresses  []Stress
	Confirmed *Figure

	// why its queue grows throughout the traffic, or ""; if it does, there are no figures
	Unstable string
	Same     bool // its figures equal those of the recommendation

	behaviour behaviour
	reading   reading
	// Few runs may not show the refusals of the target, or a limit that acts as a rate fails if the
	// service time changes.
	unproven bool
	tried    bool    // stressed and confirmed
	promise  float64 // worse end of the promise over its bound. 0: unknown
	excess   float64 // worst figure over its bound. At most 1 if all bounds are met
}

type Stress struct {
	Name string
	// the promised metric; the option's own figure if NoWorse
	Figure   Figure
	Verdict  objectives.Verdict
	NoWorse  bool   // no significant difference from the same runs without the stress
	Missed   string // another objective that is missed, or ""
	Unstable bool   // the queue grows throughout, so there is no figure
}

// A Missing is a change that alone would make the nearest option meet the objectives.
type Missing struct {
	What  string  // limit, rate or objective
	Value float64 // slots, tasks per second, or value of the metric
}

type WorkSummary struct {
	Rate, Mean, C2 float64 // tasks per second, seconds, and C² of the service
	Busy           float64 // busy slots on average: rate times mean
	GapC2          float64 // C² of the gaps between arrivals. NaN if all tasks come at once
	// factor by which another record may have a busier stretch; 0 if the work varies only by chance
	Busier float64
}

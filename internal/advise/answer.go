package advise

import (
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
)

// A Verdict is the kind of an answer.
type Verdict string

const (
	Meets        Verdict = "meets"         // the recommendation surely meets the objectives
	NothingMeets Verdict = "nothing_meets" // no candidate meets them
	Undecided    Verdict = "undecided"     // the interval of the best candidate includes a bound
)

// An Answer is the answer to a Question.
type Answer struct {
	Verdict    Verdict
	Objectives objectives.List // including implicit ones
	// if nothing meets the objectives, the nearest option
	Recommendation Option
	// other options that meet the objectives or are near, the best first
	RunnersUp []Option
	// the recommended strategy at the next smaller limit, or nil if the limit is 1
	Below *Option
	// the recommended strategy at twice the limit
	Above     *Option
	Missing   []Missing // if nothing meets the objectives, changes that would
	Work      Described
	NotLooked []string // candidates that were not tried, with the reason
	Tasks     int      // simulated by strategies' own code
	Replayed  bool     // the recursion computed the pools
	Recorded  bool     // the traffic is one plan and not a process
	// tasks of each run of a strategy's own code, and of the record. 0 if it ran all of the record
	Ran, Record int
}

// An Option is a strategy with its settings and its results.
type Option struct {
	Strategy strategies.Variant
	Ties     []strategies.Variant // strategies that are equal by contract
	Limit    int
	Queue    int      // slots of its queue, as in bench.Scenario. 0 without a queue
	Rate     float64  // tasks started per second. 0: unlimited
	Promise  Figure   // the metric of the first objective
	Figures  []Figure // the metrics of all objectives
	Verdict  objectives.Verdict
	Regret   float64 // promise relative to that of the recommendation. NaN: unknown
	Holds    float64 // largest load factor at which it meets the objectives. NaN: unknown
	Stresses []Stress
	// measured in real time, if the work is real
	Confirmed *Figure

	// why its queue grows throughout the traffic, which leaves no figure, or ""
	Unstable string
	// same result as the recommendation, to the digit
	Same bool

	behaviour behaviour
	reading   reading
	// it meets the objectives only at this service time, since a limit acts as a rate, or as far as a
	// few runs show refusals
	fragile bool
	tried   bool    // stressed and confirmed
	promise float64 // worse end of the promise over its bound. 0: unknown
	excess  float64 // worst figure over its bound. At most 1 if all bounds are met
}

// A Stress is the result of an option under worse conditions.
type Stress struct {
	Name string
	// the metric of the first objective. The option's own if NoWorse
	Figure  Figure
	Verdict objectives.Verdict
	// not significantly different from the same runs without the stress
	NoWorse bool
	// another objective that is missed, or ""
	Missed   string
	Unstable bool // the queue grows throughout, which leaves no figure
}

// A Missing is a single change that would make the nearest option meet the objectives.
type Missing struct {
	What  string  // limit, rate or objective
	Value float64 // slots, tasks per second, or value of the metric
}

// Described describes the arriving work.
type Described struct {
	Rate, Mean, C2 float64 // tasks per second, seconds, and C² of the service
	Busy           float64 // busy slots on average: rate times mean
	GapC2          float64 // C² of the gaps between arrivals. NaN if all tasks come at once
	// factor over the work of a record's busiest stretch that another such record may bring, if its
	// rate or service varies more than by chance. Otherwise 0
	Busier float64
}

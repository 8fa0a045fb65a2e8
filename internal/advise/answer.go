package advise

import (
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
)

// A Verdict is the kind of an answer.
type Verdict string

// The verdicts.
const (
	Meets        Verdict = "meets"         // the recommendation surely meets the objectives
	NothingMeets Verdict = "nothing_meets" // nothing that was looked at does
	Undecided    Verdict = "undecided"     // the interval of the nearest holds a bound
)

// An Answer is what a question comes to.
type Answer struct {
	Verdict    Verdict
	Objectives objectives.List // with those that nobody has to ask for
	// what to take or, where nothing meets the objectives, the nearest
	Recommendation Option
	// what else may do or is nearest, the best first
	RunnersUp []Option
	// the next smaller limit of the recommended strategy; nil where the limit is 1
	Below *Option
	// the strategy with twice the limit: what more would gain
	Above     *Option
	Missing   []Missing // where nothing meets: what would
	Work      Described
	NotLooked []string // at, with the reason
	Tasks     int      // simulated by strategies' own code
	Replayed  bool     // pools were put through the recursion
	Recorded  bool     // the traffic is one plan and not a process
	// tasks of each run of a strategy's own code, and of the record; 0 where it had all of it
	Ran, Record int
}

// An Option is a strategy with its settings, and what it comes to.
type Option struct {
	Strategy strategies.Variant
	Ties     []strategies.Variant // that do the same by their contract
	Limit    int
	Queue    int      // slots of its queue, as in bench.Scenario; 0 where it takes none
	Rate     float64  // tasks started per second; 0: as they come
	Promise  Figure   // of the metric of the first objective
	Figures  []Figure // of all objectives
	Verdict  objectives.Verdict
	Regret   float64 // of the promise, over that of the recommendation; NaN: not known
	Holds    float64 // times the load up to which it meets the objectives; NaN: not known
	Stresses []Stress
	// by real time, where the work is real; nil elsewhere
	Confirmed *Figure

	// why its queue grows for as long as the traffic lasts, so that there is no figure; "": it does
	// not
	Unstable string
	// it comes to what the recommendation does, to the digit
	Same bool

	behaviour behaviour
	reading   reading
	// it meets the objectives only while the work is as slow, as a limit stands for a pace; or as
	// far as a few runs can tell of refusals
	fragile bool
	tried   bool    // it was put under stress and confirmed
	promise float64 // the worse end of the promise over its bound; 0: not told
	excess  float64 // the worst of the figures over its bound; at most 1 where all are met
}

// A Stress is what becomes of an option when things get worse.
type Stress struct {
	Name string
	// of the metric of the first objective; the option's own where NoWorse
	Figure  Figure
	Verdict objectives.Verdict
	// the same runs without the stress were not better, as far as their differences tell
	NoWorse bool
	// an objective other than the first that is missed; "": none is
	Missed   string
	Unstable bool // the queue grows for as long as it lasts: there is no figure
}

// A Missing is what would have the nearest meet the objectives.
type Missing struct {
	What  string  // limit, rate or objective
	Value float64 // so many slots, so many tasks per second, so much of the metric
}

// Described is what came in.
type Described struct {
	Rate, Mean, C2 float64 // tasks per second; seconds; of the service
	Busy           float64 // slots that are busy on average: rate times mean
	GapC2          float64 // of the gaps between arrivals; NaN where all come at once
	// times the work of its busiest stretch that one to come may bring, of a recorded plan whose
	// rate or service wanders more than by chance; 0 of others
	Busier float64
}

package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/calls"
	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/internal/soaks"
	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/machine/witness"
	"github.com/poolbench/poolbench/strategies"
)

// A Recording is a run that another package drives: requests to a server. Its result is computed,
// checked and judged as that of a Scenario under the real clock. Instants are nanoseconds since the
// run began.
type Recording struct {
	Name     string
	Seed     uint64
	Arrival  arrivals.Variant // the plan
	Rate     float64          // of it, per second; 0 where the process settles it
	Duration time.Duration    // of the plan; 0: until its last request
	// what bounded the requests; one without New and Bound: nothing that the package knows of
	Strategy strategies.Variant
	Limit    int // of the strategy
	Queue    int // of the strategy
	// one of an open loop, one of each client of a closed one; several where generators shared it
	Records []records.Log
	Peak    int64 // most requests in flight at once
	Busy    int64 // time that all attempts took, counted apart from the records
	Twice   int64 // requests that were settled twice
	Resent  int64 // requests that went over the wire again, within one attempt
	// what is counted of them beside the records; nil: nothing is
	Calls  *calls.Counter
	Doubts []Reason // found by who drives
	// of a plan that several generators share: its arrivals and its length are judged with the
	// others'
	Share   bool
	Follows bool // tasks are due when others have ended: the plan is not of their arrivals
	// adds what the driver counts to what a soak has so far; nil: nothing
	SoFar    func(*Result)
	Cut      bool     // it ended before its plan: a soak can be gone on with
	Machines []string // who they were, a line each
	Profile  string   // what Watch profiles, as Scenario.Profile
	profiles []Profile
	// why there are none
	notProfiled error
	seen        *witness.Seen       // of the machine; nil: nobody watched it
	soak        *Soak               // in place of Records
	second      *soaks.Continuation // of a soak that was cut off; nil: it begins
}

// Watch begins to watch the machine, and to profile. stop ends that, before Result; base is when
// the run began.
func (rec *Recording) Watch() (stop func(base time.Time)) {
	end, err := beginProfile(rec.Profile)
	rec.notProfiled = err
	w := witness.Start()
	return func(base time.Time) {
		rec.seen = w.End(base)
		if rec.notProfiled == nil {
			rec.profiles, rec.notProfiled = end()
		}
	}
}

// Result computes what the run reports.
func (rec *Recording) Result() (*Result, error) {
	run := measurement{Run: rec.observation()}
	if rec.soak != nil {
		run.fold = rec.soak.belt.End()
		run.fold.IsOf(run.Run, rec.Cut)
	} else {
		run.Trace = records.NewTrace(rec.Records)
	}
	r, err := run.result()
	if err = errors.Join(err, rec.notProfiled); err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Name, err)
	}
	r.Agents, r.Profiles = rec.Machines, rec.profiles
	return r, nil
}

// Len is how many records there are.
func (rec *Recording) Len() (n int) {
	if rec.soak != nil {
		return rec.soak.Len()
	}
	for i := range rec.Records {
		n += rec.Records[i].Len()
	}
	return n
}

// observation is what there is to observe, but for the records.
func (rec *Recording) observation() *observed.Run {
	plan := Scenario{Strategy: rec.Strategy, Limit: rec.Limit, Queue: rec.Queue, Seed: rec.Seed,
		Load: Load{Arrival: rec.Arrival, PerSecond: rec.Rate},
		Stop: Stop{Duration: rec.Duration}}.described()
	return &observed.Run{Name: rec.Name, Plan: plan, Pools: plan.Pools(), Recorded: true,
		Doubts: rec.Doubts, Resent: rec.Resent, Calls: rec.Calls, Share: rec.Share,
		Follows: rec.Follows, Peak: rec.Peak,
		Service: rec.Busy, SettledTwice: rec.Twice, Seen: rec.seen}
}

package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/soaks"
	"github.com/poolbench/poolbench/strategies"
)

// A Recording is a run that another package drives: requests to a server. Its result is computed,
// checked and judged like that of a Scenario under the real clock. Instants are nanoseconds since
// the run began.
type Recording struct {
	Name     string
	Seed     uint64
	Arrival  arrivals.Variant // the plan
	Rate     float64          // of the plan, per second. 0 if the process determines it
	Duration time.Duration    // of the plan. 0: until its last request
	// the strategy that bounded the requests. Without New and Bound: unknown to the package
	Strategy strategies.Variant
	Limit    int
	Queue    int
	// one log for an open loop, one per client of a closed loop, one per generator of a shared load
	Records []record.Log
	Peak    int64
	Busy    int64 // total time of all attempts, counted independently of the records
	Twice   int64 // requests that were settled twice
	Resent  int64 // requests sent again within one attempt
	// counts of requests in addition to the records. nil: none
	Calls  *record.CallCounter
	Doubts []result.Reason // reasons for doubt found by the driver
	// one part of a plan shared by several generators: arrivals and length are judged for the whole
	Share   bool
	Follows bool // tasks are due when others end, so arrivals do not follow the plan
	// clients send without a pause, so they and a server on this machine, if it is Local, keep the
	// processors busy on purpose
	FlatOut, Local bool
	// adds the driver's own counts to partial results of a soak. nil: none
	SoFar    func(*Result)
	Cut      bool     // ended before its plan: a soak can be resumed
	Machines []string // the generators' machines, one per line
	Profile  string   // profiles taken by Watch, as Scenario.Profile
	profiles []result.Profile
	// why there are no profiles
	notProfiled error
	seen        *machine.WitnessSeen // of the machine. nil: not watched
	soak        *Soak                // instead of Records
	second      *soaks.Continuation  // for a soak that resumes
}

// SetBound sets the largest possible number of requests in flight, for requests that no known
// strategy bounds.
func (rec *Recording) SetBound(n int) {
	rec.Limit = n
	rec.Strategy.Spec = strategies.Spec{Name: "workers",
		Bound: func(strategies.Params) int { return n }}
}

// Watch begins to watch the machine, and to profile. Call stop before Result, with the start of the
// run as base.
func (rec *Recording) Watch() (stop func(base time.Time)) {
	end, err := beginProfile(rec.Profile)
	rec.notProfiled = err
	w := machine.StartWitness()
	return func(base time.Time) {
		rec.seen = w.End(base)
		if rec.notProfiled == nil {
			rec.profiles, rec.notProfiled = end()
		}
	}
}

// Result computes the result of the run.
func (rec *Recording) Result() (*Result, error) {
	run := measurement{Run: rec.observation()}
	if rec.soak != nil {
		run.fold = rec.soak.belt.End()
		run.fold.IsOf(run.Run, rec.Cut)
	} else {
		run.Trace = record.NewTrace(rec.Records)
	}
	r, err := run.result()
	if err = errors.Join(err, rec.notProfiled); err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Name, err)
	}
	r.Agents, r.Profiles = rec.Machines, rec.profiles
	return r, nil
}

// Len returns the number of records.
func (rec *Recording) Len() (n int) {
	if rec.soak != nil {
		return rec.soak.Len()
	}
	for i := range rec.Records {
		n += rec.Records[i].Len()
	}
	return n
}

// observation returns the observed run without its records.
func (rec *Recording) observation() *observe.Run {
	plan := Scenario{Strategy: rec.Strategy, Limit: rec.Limit, Queue: rec.Queue, Seed: rec.Seed,
		Load: Load{Arrival: rec.Arrival, PerSecond: rec.Rate},
		Stop: Stop{Duration: rec.Duration}}.described()
	return &observe.Run{Name: rec.Name, Plan: plan, Pools: plan.Pools(), Recorded: true,
		Doubts: rec.Doubts, Resent: rec.Resent, Calls: rec.Calls, Share: rec.Share,
		Follows: rec.Follows, FlatOut: rec.FlatOut, Local: rec.Local, Peak: rec.Peak,
		Service: rec.Busy, SettledTwice: rec.Twice, Seen: rec.seen}
}

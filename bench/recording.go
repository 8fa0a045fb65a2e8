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

// A Recording is a run that another package drives, with requests to a server as tasks. Its result
// is judged like that of a Scenario under the real clock. Times are nanoseconds since the start.
type Recording struct {
	Name     string
	Seed     uint64
	Arrival  arrivals.Variant
	Rate     float64       // planned requests per second; 0 if Arrival determines it
	Duration time.Duration // planned duration; 0 means until the last request
	// the strategy that bounds the requests; unknown if New and Bound are nil
	Strategy strategies.Variant
	Limit    int
	Queue    int
	// one log for an open loop, one per client of a closed loop, one per generator of a shared load
	Records []record.Log
	Peak    int64
	Busy    int64 // total time of all attempts in ns, counted independently of the records
	Twice   int64 // requests that were settled twice
	Resent  int64 // requests that were sent again within one attempt
	// may be nil
	Calls  *record.CallCounter
	Doubts []result.Reason // reasons for a SUSPECT verdict that the driver found
	// part of a plan shared by several generators, whose arrivals and length are judged as a whole
	Share   bool
	Follows bool // tasks are due when others end, so arrivals do not follow the plan
	// Clients send without pause to a server on this machine, so high processor usage is expected.
	FlatOut, Local bool
	// adds counts to partial results of a soak; may be nil
	SoFar      func(*Result)
	Cut        bool     // ended before its plan, so that a soak can be resumed
	Machines   []string // descriptions of the generators' machines
	Profile    string   // profiles taken by Watch, as in Scenario.Profile
	profiles   []result.Profile
	profileErr error
	seen       *machine.WitnessStats // observations of the machine; nil without Watch
	soak       *Soak                 // replaces Records if set
	resumed    *soaks.Continuation   // set if the soak resumes an earlier soak
}

// SetBound sets the maximum number of requests in flight, if no known strategy bounds them.
func (rec *Recording) SetBound(n int) {
	rec.Limit = n
	rec.Strategy.Spec = strategies.Spec{Name: "workers",
		Bound: func(strategies.Params) int { return n }}
}

// Watch starts to observe the machine and to profile. Call stop before Result, with the start time
// of the run as base.
func (rec *Recording) Watch() (stop func(base time.Time)) {
	end, err := beginProfile(rec.Profile)
	rec.profileErr = err
	w := machine.StartWitness()
	return func(base time.Time) {
		rec.seen = w.End(base)
		if rec.profileErr == nil {
			rec.profiles, rec.profileErr = end()
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
	if err = errors.Join(err, rec.profileErr); err != nil {
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

func (rec *Recording) observation() *observe.Run {
	plan := Scenario{Strategy: rec.Strategy, Limit: rec.Limit, Queue: rec.Queue, Seed: rec.Seed,
		Load: Load{Arrival: rec.Arrival, PerSecond: rec.Rate},
		Stop: Stop{Duration: rec.Duration}}.described()
	return &observe.Run{Name: rec.Name, Plan: plan, Pools: plan.Pools(), Recorded: true,
		Doubts: rec.Doubts, Resent: rec.Resent, Calls: rec.Calls, Share: rec.Share,
		Follows: rec.Follows, FlatOut: rec.FlatOut, Local: rec.Local, Peak: rec.Peak,
		Service: rec.Busy, SettledTwice: rec.Twice, Seen: rec.seen}
}

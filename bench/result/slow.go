package result

import "time"

// A SlowTask is one of the slowest measured and settled tasks of a run.
type SlowTask struct {
	Task int // index in the order of the due times, from 0, warm-up included
	// instants since the run began. Accepted is 0 if unknown, Start if there was none
	Due, Issue, Accepted, Start, End time.Duration
	// parts of the response. Target is part of Service
	Lag, Blocked, Queued, Between, Service, Target time.Duration
	Outcome, Class                                 string
	Attempts                                       int
	// other tasks when it was due: started and not ended, due and not started. -1 if unknown
	InFlight, Waiting int
	Trace             string `json:",omitempty"` // id of its trace, or ""
}

// Response returns the time from due to end.
func (t *SlowTask) Response() time.Duration { return t.End - t.Due }

package result

import "time"

// A SlowTask is one of the slowest measured and settled tasks of a run.
type SlowTask struct {
	Task int // index in order of due times, from 0, including the warm-up
	// times since the start of the run; Accepted is 0 if unknown, Start is 0 if it never started
	Due, Issue, Accepted, Start, End time.Duration
	// parts of the response; Target is part of Service
	Lag, Blocked, Queued, Between, Service, Target time.Duration
	Outcome, Class                                 string
	Attempts                                       int
	// other tasks when it was due: started but not ended, and due but not started; -1 if unknown
	InFlight, Waiting int
	Trace             string `json:",omitempty"` // its trace ID, or ""
	URL               string `json:",omitempty"` // method and path, or step; "" if only one
}

// Response returns the time from due to end.
func (t *SlowTask) Response() time.Duration { return t.End - t.Due }

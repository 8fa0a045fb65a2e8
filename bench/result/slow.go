package result

import "time"

// A SlowTask is one of the slowest tasks of a run, of those that were measured and that came to an
// end, whichever that is.
type SlowTask struct {
	Task int // its place in the order of the due times, from 0, warm-up included
	// instants since the run began; Accepted is 0 where nobody has said, Start where it had none
	Due, Issue, Accepted, Start, End time.Duration
	// what the response is made of; Target is of Service
	Lag, Blocked, Queued, Between, Service, Target time.Duration
	Outcome, Class                                 string
	Attempts                                       int
	// others that it found when it was due: started and not ended, due and not started; -1 where
	// nobody knows
	InFlight, Waiting int
	Trace             string `json:",omitempty"` // the id of its trace; "": it has none
	URL               string `json:",omitempty"` // method and path, or step; "": there is one
}

// Response is the time from when the task was due until its end.
func (t *SlowTask) Response() time.Duration { return t.End - t.Due }

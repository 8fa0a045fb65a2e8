package strategies

// A Learner is an instance that learns its limit from the tasks that end.
type Learner interface {
	// Limit returns the current limit. It is safe for concurrent use.
	Limit() int
	// OnLimit makes the instance call f with each new limit. Call it before the first Submit. f must
	// be safe for concurrent use, return at once, and call no method of the instance.
	OnLimit(f func(limit int))
}

// LearnerOf returns the Learner that is s, or the one that the parts of s enclose. It returns nil
// if there is none, or one per class.
func LearnerOf(s Strategy) Learner { return innermost[Learner](s) }

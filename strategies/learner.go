package strategies

// A Learner is an instance that adapts its limit to the tasks that end.
type Learner interface {
	// Limit is safe for concurrent use.
	Limit() int
	// OnLimit makes the instance call f with each new limit. Call it before the first Submit. f
	// must be safe for concurrent use, return at once and call no method of the instance.
	OnLimit(f func(limit int))
}

// LearnerOf returns s or the only Learner inside its parts, or nil. With one per class it returns
// nil.
func LearnerOf(s Strategy) Learner { return innermost[Learner](s) }

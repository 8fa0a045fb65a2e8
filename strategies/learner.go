package strategies

// A Learner is an instance that adapts its limit to the tasks that end.
type Learner interface {
	// Limit returns the current limit. It is safe for concurrent use.
	Limit() int
	// OnLimit makes the instance call f with each new limit. Call it before the first Submit. f
	// must be safe for concurrent use, return at once and call no method of the instance.
	OnLimit(f func(limit int))
}

// LearnerOf returns s or the only Learner inside its parts. It returns nil if there is none, or one
// per class.
func LearnerOf(s Strategy) Learner { return innermost[Learner](s) }

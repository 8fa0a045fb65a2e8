package bench

// Span is the stretch of time that n tasks stand for, from the task numbered first on: n less first
// over its length is their rate, be they one or a million. All instants are nanoseconds from the
// start of the plan; due are those of all tasks, in their order.
//
// A task stands for the gap before it: the first of a plan for the time since its start, and tasks
// that are due together for equal shares of the gap before all of them. So the stretch begins where
// the last task ends that is not counted. It ends with the last due or, in a run of a given
// duration, with that: a run in which nothing more was due had its time all the same. (To count the
// tasks over the time from the first of them to the last is to count n over n−1 gaps: at 10 a
// second, 12.5 for five tasks.)
func Span(n, first int, due func(i int) int64, duration int64) (from, until int64) {
	until = max(due(n-1), duration)
	at := due(first)
	begin, end := first, first+1 // of those that are due together with the first
	for begin > 0 && due(begin-1) == at {
		begin--
	}
	for end < n && due(end) == at {
		end++
	}
	before := int64(0)
	if begin > 0 {
		before = due(begin - 1)
	}
	return at - int64(float64(at-before)*float64(end-first)/float64(end-begin)), until
}

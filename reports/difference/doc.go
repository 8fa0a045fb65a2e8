// Package difference says what the difference between two runs of the same tasks is made of. Task i
// of a seed is the same work under every strategy and before and after a change, so the difference
// of its two responses is the sum of the differences of their parts, to the nanosecond: lag, held,
// queued, between and service. So is the difference of sums over any tasks.
//
// A p99 is the response of one task, and another one in each run: two of them have no parts in
// common. What stands for their difference is that of the tail: the tasks that took the p99 of
// their run or longer on either side, each with itself on the other. To take those of one side
// alone would find what that side is bad at and call it the difference.
package difference

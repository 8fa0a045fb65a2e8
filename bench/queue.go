package bench

import "github.com/poolbench/poolbench/strategies"

// NoQueue, as a Queue, is a queue without a slot: what finds every slot of the limit taken waits in
// Submit, or is shed. It is a loss system, in the words of theory, where the strategy sheds. In
// names and flags it is queue=0.
const NoQueue = -1

// maxDefaultQueue bounds a queue that nobody has asked for. A strategy on a channel pays 8 bytes
// for each slot, taken or not: 8 MB. A task that waits is 200 to 300 bytes in any strategy: 300 MB
// for a queue that is full. Where that many wait the run has left every steady state.
const maxDefaultQueue = 1 << 20

// shedQueue is how many tasks for each slot of the limit may wait by default where the strategy
// sheds what comes then: eight service times, on average.
const shedQueue = 8

// QueueSlots is how many slots the queue of a strategy has that was given as queue, for a run of so
// many tasks; 0 tasks: nobody knows. A queue that is not given (0) is as long as a user means who
// names none. Where a full strategy holds its producer, it is never full in the run, up to a
// million slots: a full one would hold up what the strategy is there to keep apart or to put in
// order, and nothing else could be measured. Where it sheds, the queue is eight times the limit.
func QueueSlots(spec strategies.Spec, queue, limit, tasks int) int {
	switch {
	case queue == NoQueue || queue == 0 && !spec.UsesQueue:
		return 0
	case queue != 0:
		return queue
	case spec.Sheds:
		return min(shedQueue*max(limit, 0), strategies.MaxSlots)
	case tasks > 0:
		return min(tasks, maxDefaultQueue)
	}
	return maxDefaultQueue
}

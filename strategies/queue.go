package strategies

// NoQueue is the value of Params.Queue for no queue. 0 means the default.
const NoQueue = -1

// maxDefaultQueue bounds the default queue: 8 MB for its channel, and 300 MB for the waiting tasks
// if it is full.
const maxDefaultQueue = 1 << 20

// shedQueue is the default number of queue slots per unit of the limit, for strategies that shed:
// the last task of such a queue waits eight service times on average.
const shedQueue = 8

// QueueSlots returns the Params.Queue of a run of that many tasks (0: unknown), given the user's
// choice. By default a strategy that does not shed has room for all tasks, up to a million, because
// a full queue blocks the tasks that the strategy should separate or order.
func (s Spec) QueueSlots(queue, limit, tasks int) int {
	switch {
	case queue == NoQueue || queue == 0 && !s.UsesQueue:
		return 0
	case queue != 0:
		return queue
	case s.Sheds:
		return min(shedQueue*max(limit, 0), MaxSlots)
	case tasks > 0:
		return min(tasks, maxDefaultQueue)
	}
	return maxDefaultQueue
}

package durable

import (
	"slices"

	"github.com/poolbench/poolbench/strategies"
)

// addingEmbedded is for strategies without the parameter away.
func addingEmbedded(more ...strategies.Addition) []strategies.Addition {
	return addingAfter(embeddedAway.String(), more)
}

func adding(more ...strategies.Addition) []strategies.Addition {
	return addingAfter("longer than the parameter away", more)
}

func addingAfter(failing string, more []strategies.Addition) []strategies.Addition {
	return slices.Concat([]strategies.Addition{
		{What: "runs a task once per process, however often its message is delivered",
			Bare: "runs the task at each delivery"},
		{What: "ends with an error if the store fails for " + failing + ", or at once if the " +
			"store is full, read-only or gone",
			Bare: "returns or logs each error, and continues"},
	}, more)
}

var (
	addsDead = strategies.Addition{
		What: "a task that panics or has used all its attempts becomes a dead letter",
		Bare: "a panic ends the process, and no queue of dead letters exists",
	}
	addsDelay = strategies.Addition{
		What: "a failed task waits in the store until its next attempt",
		Bare: "has no delayed delivery",
	}
	addsNoRetry = strategies.Addition{
		What: "never retries a Redis command, and gives each command a timeout of 3s",
		Bare: "retries a command up to three times",
	}
	addsPool = strategies.Addition{
		What: "limit + 8 connections, but at most 32",
		Bare: "one connection per processor, and at least 4",
	}
)

var (
	asynqAdds = adding(
		strategies.Addition{
			What: "with recovery=start, ends all leases when a process starts or has lost a " +
				"connection",
			Bare: "an interrupted task waits for its lease of 30s, another 30s, the next check " +
				"(one per minute), and a retry delay of 15s to 45s: it runs again 90s to 1m45s " +
				"after a restart"},
		strategies.Addition{
			What: "retries a failed task with the delay and the number of attempts set by the " +
				"parameters; a task that panics becomes a dead letter (archived)",
			Bare: "retries a failure or panic up to 25 times, after n⁴+15s and up to 30s·(n+1) " +
				"more"},
		strategies.Addition{
			What: "no timeout for tasks", Bare: "cancels a task's context after 30m"},
		strategies.Addition{
			What: "at shutdown, waits up to a minute for running tasks (ShutdownTimeout)",
			Bare: "puts running tasks back into the queue after 8s"},
		strategies.Addition{
			What: "runs each task in its own goroutine, which the task may end (Goexit)",
			Bare: "a task that calls Goexit keeps its slot until its timeout"},
		strategies.Addition{
			What: "waits 100ms after an error from Redis", Bare: "tries again at once"},
		addsNoRetry,
	)
	riverAdds = adding(
		strategies.Addition{
			What: "with a lease below 1h, puts back into the queue: jobs of other processes that " +
				"have run for longer than the lease, and at the start of a process all " +
				"interrupted jobs",
			Bare: "checks twice a minute for jobs that have run for 1h, and retries them"},
		strategies.Addition{
			What: "retries a failed task with the delay and the number of attempts set by the " +
				"parameters; a task that panics becomes a dead letter (cancelled)",
			Bare: "retries a failure or panic up to 25 times, after n⁴ seconds"},
		strategies.Addition{
			What: "does not cancel a task", Bare: "cancels a job's context after 1m (JobTimeout)"},
		strategies.Addition{
			What: "keeps dead letters", Bare: "deletes cancelled jobs after 1d, discarded ones " +
				"after 7d"},
		strategies.Addition{
			What: "writes a dead letter at once, and retries until the write succeeds",
			Bare: "writes dead letters together with other completions, within a quarter of a " +
				"second"},
		strategies.Addition{
			What: "runs each task in its own goroutine, which the task may end (Goexit)",
			Bare: "a job that calls Goexit never gives its slot back"},
		addsPool,
	)
	jetAdds = addingEmbedded(
		strategies.Addition{
			What: "while a task runs, renews its lease (AckWait) every third of the lease's " +
				"duration",
			Bare: "delivers a message again after 30s, unless the program calls InProgress"},
		strategies.Addition{
			What: "requests one message per free consumer, and waits up to 5s for it",
			Bare: "Consume and Messages fetch up to 500 in advance"},
		strategies.Addition{
			What: "no limit on unacknowledged messages (MaxAckPending)", Bare: "stops delivery " +
				"at 1000 unacknowledged messages"},
		strategies.Addition{
			What: "with the embedded server, checks once a second that its files exist and that " +
				"nothing but the server has changed them",
			Bare: "does not notice a change"},
		strategies.Addition{
			What: "with the embedded server, publishes with a plain request, and waits for all " +
				"acknowledgements before the shutdown",
			Bare: "an acknowledgement in flight at the shutdown is lost"},
		addsDead,
	)
	rabbitAdds = adding(
		strategies.Addition{
			What: "counts attempts: publishes a copy of the message with the new count, and " +
				"acknowledges the original when the copy is confirmed",
			Bare: "classic queues count no attempts, and quorum queues drop a message after 20"},
		strategies.Addition{
			What: "a failed task waits in a second queue until its next attempt",
			Bare: "has no delayed delivery"},
		strategies.Addition{
			What: "reconnects; if an acknowledgement was lost, acknowledges the message when it " +
				"is redelivered",
			Bare: "the channel closes, and the program must reconnect"},
		strategies.Addition{
			What: "a heartbeat every 3s, and separate connections for publishing and consuming",
			Bare: "a heartbeat every 10s, and one connection"},
		strategies.Addition{
			What: "a prefetch equal to the limit", Bare: "has no limit on unacknowledged messages"},
		addsDead,
	)
	streamAdds = adding(
		strategies.Addition{
			What: "checks every second (four times per lease if the lease is shorter than 4s) " +
				"for messages that were pending for a whole lease, and adds them to the stream " +
				"again",
			Bare: "a message stays pending until a program claims it (XAUTOCLAIM)"},
		strategies.Addition{
			What: "one blocking read for all waiting consumers",
			Bare: "each read blocks a connection"},
		addsDelay, addsDead, addsNoRetry,
	)
	postgresAdds = adding(
		strategies.Addition{
			What: "the whole queue: its table, renewed leases, a check every second for expired " +
				"leases, retries and dead letters",
			Bare: "pgx is a client of PostgreSQL and has no queue"},
		strategies.Addition{
			What: "wakes idle consumers with at most one NOTIFY per millisecond",
			Bare: "sends none"},
		addsPool,
	)
	sqliteAdds = addingEmbedded(
		strategies.Addition{
			What: "the whole queue: its table, renewed leases, retries and dead letters",
			Bare: "the driver has no queue"},
		strategies.Addition{
			What: "measures leases with a monotonic clock",
			Bare: "has no leases"},
		strategies.Addition{
			What: "one connection for all statements, and a check of the file at the start " +
				"(quick_check)",
			Bare: "several connections, whose writes may fail with SQLITE_BUSY, and no check"},
	)
)

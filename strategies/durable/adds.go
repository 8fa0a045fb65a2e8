package durable

import (
	"slices"

	"github.com/poolbench/poolbench/strategies"
)

func adding(more ...strategies.Addition) []strategies.Addition {
	return slices.Concat([]strategies.Addition{
		{What: "runs a task once per process, however often its message is delivered",
			Bare: "runs the task at each delivery"},
		{What: "ends with an error if the store has failed for the time in away, or at once if " +
			"the store is full, read-only or gone",
			Bare: "returns or logs each error, and continues"},
	}, more)
}

var (
	addsDead = strategies.Addition{
		What: "a task that panics, or has used all its attempts, becomes a dead letter",
		Bare: "a panic ends the process, and no queue of dead letters exists",
	}
	addsDelay = strategies.Addition{
		What: "a failed task waits in the store until its next attempt",
		Bare: "has no delayed delivery",
	}
	addsNoRetry = strategies.Addition{
		What: "no command to Redis is retried, and each ends after 3s",
		Bare: "retries a command up to three times",
	}
	addsPool = strategies.Addition{
		What: "up to 32 connections, or the limit and 8 if that is less",
		Bare: "as many connections as processors, and at least 4",
	}
)

var (
	asynqAdds = adding(
		strategies.Addition{
			What: "with recovery=start, ends all leases when a process starts or has lost a " +
				"connection",
			Bare: "an interrupted task waits for its lease of 30s, another 30s, the next check " +
				"(each minute), and a retry delay of 15s to 45s: 90s to 1m45s after a restart"},
		strategies.Addition{
			What: "a failed task has the delay and the attempts of the parameters; one that " +
				"panics becomes a dead letter (archived)",
			Bare: "retries a failure or panic up to 25 times, after n⁴+15s and up to 30s·(n+1) " +
				"more"},
		strategies.Addition{
			What: "no timeout of a task", Bare: "cancels a task's context after 30m"},
		strategies.Addition{
			What: "waits up to a minute for running tasks at the end (ShutdownTimeout)",
			Bare: "puts running tasks back after 8s"},
		strategies.Addition{
			What: "runs each task in its own goroutine, which the task may end (Goexit)",
			Bare: "a task that calls Goexit keeps its slot until its timeout"},
		strategies.Addition{
			What: "waits 100ms after an error of Redis", Bare: "tries again at once"},
		addsNoRetry,
	)
	riverAdds = adding(
		strategies.Addition{
			What: "with a lease below 1h, puts back jobs that have run for longer and do not run " +
				"in this process, and all jobs when a process starts",
			Bare: "checks twice a minute for jobs that have run for 1h, and retries them"},
		strategies.Addition{
			What: "a failed task has the delay and the attempts of the parameters; one that " +
				"panics becomes a dead letter (cancelled)",
			Bare: "retries a failure or panic up to 25 times, after n⁴ seconds"},
		strategies.Addition{
			What: "does not cancel a task", Bare: "cancels a job's context after 1m (JobTimeout)"},
		strategies.Addition{
			What: "keeps dead letters", Bare: "deletes cancelled jobs after 1d, discarded ones " +
				"after 7d"},
		strategies.Addition{
			What: "writes a dead letter at once, and again until it succeeds",
			Bare: "writes it with other completions, within a quarter of a second"},
		strategies.Addition{
			What: "runs each task in its own goroutine, which the task may end (Goexit)",
			Bare: "a job that calls Goexit never gives its slot back"},
		addsPool,
	)
	jetAdds = adding(
		strategies.Addition{
			What: "renews the lease (AckWait) three times in its length while a task runs",
			Bare: "delivers a message again after 30s, unless the program calls InProgress"},
		strategies.Addition{
			What: "asks for one message per free consumer, each for up to 5s",
			Bare: "Consume and Messages fetch up to 500 in advance"},
		strategies.Addition{
			What: "no limit on unacknowledged messages (MaxAckPending)", Bare: "stops at 1000"},
		strategies.Addition{
			What: "with the embedded server, checks once a second that its files are there and " +
				"only change as the server changes them",
			Bare: "does not notice"},
		strategies.Addition{
			What: "with the embedded server, publishes by a plain request, and at the end waits " +
				"for all acknowledgements",
			Bare: "an acknowledgement in flight at the shutdown is lost"},
		addsDead,
	)
	rabbitAdds = adding(
		strategies.Addition{
			What: "counts the attempts in a copy of the message, with a confirm before the " +
				"original is acknowledged",
			Bare: "classic queues count no attempts, and quorum queues drop a message after 20"},
		strategies.Addition{
			What: "a failed task waits in a second queue until its next attempt",
			Bare: "has no delayed delivery"},
		strategies.Addition{
			What: "connects again, and acknowledges messages whose acknowledgement was lost " +
				"when they come again",
			Bare: "the channel closes, and the program must connect"},
		strategies.Addition{
			What: "a heartbeat of 3s, and a connection each to publish and to consume",
			Bare: "a heartbeat of 10s, and one connection"},
		strategies.Addition{
			What: "a prefetch of the limit", Bare: "has no limit on unacknowledged messages"},
		addsDead,
	)
	streamAdds = adding(
		strategies.Addition{
			What: "checks each second, or four times per lease, for messages that were idle for " +
				"a lease, and adds them again",
			Bare: "a message stays pending until a program claims it (XAUTOCLAIM)"},
		strategies.Addition{
			What: "one blocking read for all consumers that wait",
			Bare: "a read and a connection for each call"},
		addsDelay, addsDead, addsNoRetry,
	)
	postgresAdds = adding(
		strategies.Addition{
			What: "the whole queue: its table, leases that are renewed, a check each second for " +
				"leases that ended, retries and dead letters",
			Bare: "pgx is a client of PostgreSQL and has no queue"},
		strategies.Addition{
			What: "one NOTIFY for all messages of a millisecond wakes idle consumers",
			Bare: "sends none"},
		addsPool,
	)
	sqliteAdds = adding(
		strategies.Addition{
			What: "the whole queue: its table, leases that are renewed, retries and dead letters",
			Bare: "the driver has no queue"},
		strategies.Addition{
			What: "leases by a clock that does not depend on the time of day",
			Bare: "has no such clock"},
		strategies.Addition{
			What: "one connection for all statements, and a check of the file at the start " +
				"(quick_check)",
			Bare: "several connections, whose writes may fail with SQLITE_BUSY, and no check"},
	)
)

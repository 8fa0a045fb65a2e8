// Package durable contains strategies whose queue outlives the submitting process.
//
//	v := strategies.MustParse("sqlite_queue:sync=full")
//	s, err := v.Spec.Start(ctx, strategies.Params{Limit: 8, Values: v.Values}, sink)
//
// [engine.Broker] documents the guarantees. After a kill, an interrupted task runs again when its
// library finds it, by default asynq after 90 s to 1 min 45 s, river after an hour, jetstream after
// 30 s (see TestRecovery).
//
// # Servers
//
// sqlite_queue and jetstream run within the process. The others need a server, named by an
// environment variable or --server, because its address may contain a password: see
// docs/durable-queues.md. Each instance has its own queue on the server and removes it at its end.
// The queue of a killed instance stays, with a name that begins with poolbench_, until the next run
// removes it. RabbitMQ removes an unused queue after a week.
//
// # How to add one
//
// The function start opens a strategy. A broker that is polled uses [engine.Consume], and
// renewLease for its leases. Add the module to internal/project/arrows_test.go, and the strategy to
// TestContract.
package durable

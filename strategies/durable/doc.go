// Package durable has strategies whose queue outlives the process that submits to it: a table, a
// stream, a queue of a broker. They register themselves. They are a package of their own because of
// the libraries that it imports.
//
//	import _ "github.com/poolbench/poolbench/strategies/durable"
//
//	v := strategies.MustParse("sqlite_queue:sync=full")
//	s, err := v.Spec.Start(ctx, strategies.Params{Limit: 8, Values: v.Values}, sink)
//
// Submit returns when the broker has confirmed the message. One of Limit consumers runs the task
// and then acknowledges the message. All are made by [engine.Broker], which says what that
// guarantees and costs; clauses Kept, Killed and Poison of the contract test it, and `poolbench
// crash` kills the processes and counts.
//
// # Recovery
//
// A task that a kill has interrupted runs again when its library finds it, with the library's own
// settings by default: asynq after 90 s to 1 min 45 s, river after an hour, jetstream after 30 s.
// TestRecovery compares this with programs that use the libraries directly. A parameter that stands
// for a setting of a library has the library's default, and Spec.Adds lists what an adapter adds.
//
// # Servers
//
// sqlite_queue and jetstream run within the process. The others need a server, named by an
// environment variable (or --server, which sets it), because its address may contain a password:
// see [Servers]. A password is in no parameter, result or message. Each instance has a queue of its
// own on the server and removes it at its end. An instance that is killed leaves its queue behind:
// the next run removes it from PostgreSQL. Elsewhere it stays, with a name that begins with
// poolbench_.
//
// # How to add one
//
// Write a file named for it, with one register line; start opens it. A broker that is asked for
// messages uses [engine.Consume], and keep for its leases; a broker that calls you needs neither.
// Add the module to strategies/durable in internal/project/arrows_test.go, and the strategy to
// TestContract.
package durable

// Package durable has strategies whose queue outlives the process that submits to it: a table, a
// stream, a queue of a broker. It is a package of its own because of its imports: importing
// strategies brings in none of these libraries. Its strategies register themselves.
//
//	import _ "github.com/poolbench/poolbench/strategies/durable"
//
//	v := strategies.MustParse("sqlite_queue:sync=full")
//	s, err := v.Spec.Start(ctx, strategies.Params{Limit: 8, Values: v.Values}, sink)
//
// Submit returns when the broker has confirmed the message; one of Limit consumers runs the task
// and acknowledges it then. What that keeps, and what it costs, [broker.Broker] says, which all
// of them are made by; clauses Kept, Killed and Poison of the contract are about it. `poolbench
// crash` kills them, and counts.
//
// # Servers
//
// sqlite_queue and jetstream bring their own, within the process. The others need one, named by an
// environment variable (or --server, which sets it), as it may hold a password: see [Servers]. A
// password is in no parameter, result or message. An instance has a queue of its own there and
// removes it at its end. One that is killed leaves its queue behind: the next run removes it from
// PostgreSQL, elsewhere it stays, with a name that begins with
// poolbench_.
//
// # How to add one
//
// Write a file named for it, with one register line; start opens it. A broker that is asked for
// messages uses [strategies.Consume], and keep for its leases; one that calls you does without. Add
// the module to the room strategies/durable in internal/house/arrows_test.go, and the strategy to
// TestContract.
package durable

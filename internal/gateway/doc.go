// Package gateway measures a bounded server from outside: its handler runs a workload through a
// strategy, and package attack calls it over HTTP, so that what is measured is what the server's
// clients see. Where `poolbench run` submits a task, here a request comes in; where it counts a
// task as shed, here a client gets 503 with Retry-After.
//
//	report, err := gateway.Run(ctx, gateway.Scenario{
//		Strategy: variant,
//		Limit:    4,
//		Workload: workload,
//		Load:     attack.Attack{Rate: 200, Duration: 10 * time.Second},
//	})
//
// handler.go makes a server's handler of a strategy, run.go serves and attacks it.
package gateway

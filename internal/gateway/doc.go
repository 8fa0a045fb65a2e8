// Package gateway measures a bounded server from outside: its handler runs a workload through a
// strategy (handler.go), and package attack calls it over HTTP (run.go), so the results are what
// clients of the server see. A shed task is a response 503 with Retry-After.
//
//	report, err := gateway.Run(ctx, gateway.Scenario{
//		Strategy: variant,
//		Limit:    4,
//		Workload: workload,
//		Load:     attack.Attack{Rate: 200, Duration: 10 * time.Second},
//	})
package gateway

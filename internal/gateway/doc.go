// Package gateway measures a bounded server from outside: its handler runs a workload through a
// strategy, and package attack calls it over HTTP, so the results are what clients of the server
// see. A shed task is a response 503 with Retry-After.
package gateway

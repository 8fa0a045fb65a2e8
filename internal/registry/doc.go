// Package registry contains strategies, workloads, targets and arrivals by name: each kind is a
// Set, and Parse resolves a name with parameters in it. It also contains the servers that
// environment variables name (servers.go).
package registry

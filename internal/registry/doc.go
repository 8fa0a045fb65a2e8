// Package registry contains strategies, workloads, targets and arrivals by name. Each kind is a
// Set, and Parse resolves a name with parameters in it.
//
// It also contains the servers that environment variables name (servers.go), and a Coin that
// chooses one of two kinds for each task (coin.go).
package registry

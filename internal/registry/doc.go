// Package registry keeps strategies, workloads, targets and arrivals by name: each kind is a Set,
// and Parse resolves a name with parameters in it.
//
// Two things that several kinds need are here too: the servers that environment variables name
// (servers.go), and a Coin that decides by seed and number which of two kinds a task is (coin.go).
package registry

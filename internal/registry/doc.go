// Package registry holds the registered strategies, workloads, targets and arrivals by name, and
// what several of them share: servers that the environment names, and a coin that is a function of
// a seed.
package registry

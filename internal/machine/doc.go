// Package machine observes the machine and the Go runtime during a run. A Witness measures stalls,
// stolen CPU time, pressure and the runtime's metrics. A Meter counts outcomes and responses. The
// package also calibrates CPU work, records profiles and execution traces, and detects hangs.
package machine

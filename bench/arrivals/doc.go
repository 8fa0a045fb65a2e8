// Package arrivals plans when tasks are due, before a run starts. An arrival process is a pure
// function of a seed. Due times of an open process do not depend on earlier tasks. In a closed
// process each client submits its next task after its last task was done. Closed arrivals slow down
// with the measured system, and so hide the cost of variance (Schroeder, Wierman, Harchol-Balter,
// "Open Versus Closed", NSDI 2006).
package arrivals

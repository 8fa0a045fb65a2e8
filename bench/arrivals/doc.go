// Package arrivals plans when tasks are due, before a run starts.
//
// An arrival process is a pure function of a seed. An open process, such as poisson, gives due
// times that do not depend on earlier tasks. A closed process has clients, each of which submits
// its next task a think time after its last task was done. Closed arrivals slow down with the
// measured system, and so hide the cost of variance (Schroeder, Wierman, Harchol-Balter, "Open
// Versus Closed", NSDI 2006).
//
// To add a process, write a file with one register line.
package arrivals

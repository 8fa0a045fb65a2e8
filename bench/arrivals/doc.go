// Package arrivals plans when tasks are due, before any of them runs.
//
// An arrival process is a pure function of a seed. An open process (constant, poisson, bulk, batch)
// gives the due times of tasks 0, 1, 2, …, independent of earlier tasks. A closed process (closed)
// is a number of clients, each of which submits its next task a think time after its last one was
// done. A closed process slows down with the measured system, and so hides the cost of variance
// (Schroeder, Wierman, Harchol-Balter, "Open Versus Closed", NSDI 2006).
//
// To add a process, write a file with one register line. All returns the processes for `poolbench
// list`, the command line and the tests.
package arrivals

// Package arrivals plans when tasks are due, before any of them runs.
//
// An arrival process is a pure function of a seed. An open process (constant, poisson, bulk, batch)
// says when task 0, 1, 2, … is due whatever happens to the earlier ones. A closed process (closed)
// is a number of clients, each of which submits its next task a think time after its last one was
// done. A closed process slows down with the system that it measures, and so hides the cost of
// variance (Schroeder, Wierman, Harchol-Balter, "Open Versus Closed", NSDI 2006).
//
// To add a process, write a file with one register line. All returns them for `poolbench list`, the
// command line and the tests.
package arrivals

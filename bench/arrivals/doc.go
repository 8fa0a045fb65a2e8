// Package arrivals plans when tasks are due, before any of them runs.
//
// An arrival process is a pure function of a seed. An open one (constant, poisson, bulk, batch)
// says when task 0, 1, 2, … is due whatever becomes of the earlier ones; a closed one (closed) is a
// number of clients, each of which submits its next task a think time after its last one was done.
// The difference is not a detail: a closed process slows down with the system that it measures, and
// so hides what variance costs (Schroeder, Wierman, Harchol-Balter, "Open Versus Closed", NSDI
// 2006).
//
// One process, one file, one register line; All drives `poolbench list`, the command line and the
// tests.
package arrivals

// Package traffic describes when tasks came and how long they took: the rate over time, how bursty
// and how dependent it is. It reads nothing and plays nothing: package likeness says which arrival
// process it resembles.
//
// Burstiness is told twice. C² of the gaps, their variance over their squared mean, is about
// neighbours: 1 for a Poisson process, 0 for equal gaps. The index of dispersion of counts, the
// variance of the tasks in a window over their mean, is about windows of any length (Cox and Lewis,
// The Statistical Analysis of Series of Events, 1966): 1 for a Poisson process in every window, and
// growing with the window where the rate wanders, which no gap shows.
//
// # Likeness
//
// Says which built-in arrival process resembles recorded traffic, and how badly.
package traffic

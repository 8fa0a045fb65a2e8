// Package traffic describes recorded traffic: Describe returns its rate over time, its burstiness
// and its dependence, and Closest the built-in arrival process that resembles it most. Package
// traces reads the files, and package recorded shows the description.
//
// Burstiness has two measures. C² of the gaps, their variance over their squared mean, is about
// neighbours: 1 for a Poisson process, 0 for equal gaps. The index of dispersion of counts, the
// variance of the number of tasks in a window over its mean, is about windows of any length (Cox
// and Lewis, The Statistical Analysis of Series of Events, 1966): 1 for a Poisson process in every
// window, and growing with the window if the rate varies, which the gaps do not show.
package traffic

// Package traffic describes recorded traffic (Describe) and finds the built-in arrival process that
// resembles it most (Closest).
//
// Burstiness has two measures. C² of the gaps is their variance over their squared mean: 1 for a
// Poisson process, 0 for equal gaps. The index of dispersion is the variance of the number of tasks
// in a window over its mean (Cox and Lewis, The Statistical Analysis of Series of Events, 1966). It
// is 1 for a Poisson process in every window. If the rate varies, it grows with the window, which
// the gaps do not show.
package traffic

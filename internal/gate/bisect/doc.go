// Package bisect finds the commit that made a benchmark worse, with as many gates as git bisect
// has steps, and two more. A gate measures two commits against each other in pairs of runs, with
// controls in the same rounds; see internal/gate/measure.
//
//  1. The first gate measures BAD against GOOD. Of the metrics that are worse one is followed. Its
//     change is the level of BAD; the level of GOOD is no change.
//  2. Each further gate measures a commit in the middle of the remaining ones against GOOD. It
//     decides whether the commit is significantly above or below half the change of BAD. On a noisy
//     machine it is enough that one of the two levels is 50 times as likely as the other. If neither
//     is, the gate continues with twice as many pairs, up to 100. Then the search ends, because a
//     wrong step would make all further ones useless.
//  3. The last gate measures the commit that was found against the one before it, with new pairs.
//     It finds out whether the steps were wrong, and how much of the change is that commit's.
//
// A commit that cannot be measured, because it does not build for instance, is skipped: one next to
// the middle takes its place.
//
// Search knows neither git nor the go command. A Journal keeps the gates that decided something. A
// search that was interrupted continues, and a gate that decided nothing is measured again.
package bisect

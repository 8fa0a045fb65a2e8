// Package bisect finds the commit that made a benchmark worse. It needs two gates more than git
// bisect has steps. A gate measures two commits against each other in pairs of runs, with controls
// in the same rounds; see internal/gate/measure.
//  1. The first gate measures BAD against GOOD and selects one of the metrics that are worse. Its
//     change is the level of BAD; the level of GOOD is no change.
//  2. Each further gate measures the middle one of the remaining commits against GOOD. It decides
//     whether that commit is significantly above or below half the change of BAD. On a noisy
//     machine it suffices that one of the two levels is 50 times as likely as the other. Otherwise
//     the gate continues with twice as many pairs, up to 100. If these do not decide, the search
//     ends, because a wrong step would make all further ones useless.
//  3. The last gate measures the commit found against the previous one, with new pairs. It shows
//     whether the steps were right, and how much of the change is due to that commit.
//
// A commit that cannot be measured, for example because it does not build, is skipped, and a
// neighbour of the middle replaces it.
//
// Search depends neither on git nor on the go command. A Journal stores the gates that decided
// something, so that an interrupted search can continue. A gate that decided nothing is measured
// again.
package bisect

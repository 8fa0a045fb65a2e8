// Package bisect finds the commit that made a benchmark worse; see Search. Gates of
// internal/gate/measure compare commits. The first gate measures BAD against GOOD and selects a
// metric that is worse. Each further gate measures the middle one of the remaining commits against
// GOOD, and decides whether its change is above or below half the change of BAD. If 100 pairs do
// not decide, the search ends, because a wrong step would make all further ones useless. The last
// gate measures the commit found against the previous one, with new pairs.
//
// Search depends neither on git nor on the go command. A Journal stores the gates that decided
// something, so an interrupted search can continue.
package bisect

// Package changepoint finds where a series of measurements changed for good: at which value another
// level began, and how likely chance alone is to look like that.
//
// The method is E-divisive (Matteson and James, "A nonparametric approach for multiple change point
// analysis of multivariate data", Journal of the American Statistical Association 109, 2014;
// arXiv:1306.4933), of one dimension and with the exponent 1: the split with the greatest energy
// distance between what is before and what follows it is tested; when it is significant, the parts
// are searched in turn.
//
// # The test is theirs, not Student's
//
// Significance is that of a permutation test: every permutation is searched for its own best split,
// so that the chance of any alarm in a series without a change is at most Options.Alpha, whatever
// the distribution. Hunter (Fleming et al., "Hunter: using change point detection to hunt for
// performance regressions", ICPE 2023, doi:10.1145/3578244.3583719; now Apache Otava) puts
// Student's test between the two parts in its place. But the split was chosen because it looks
// worst, and among all splits of a series that never changed the worst differs "significantly" far
// more often than the level says: it is a rule of thumb with a parameter, 0.001 by default, and no
// rate of false alarms can be stated. Hunter's reasons were that permutations gave another answer
// each time, which a seed cures, and took long, which stopping does: a split that can no longer
// become significant is given up after some tens of permutations.
//
// # Ranks
//
// Distances are those of ranks. Results of benchmarks have outliers, and in a distance that grows
// with the value two of them outweigh a change: of steps by 10 % in 40 results with a coefficient
// of variation of 3 %, two of which were doubled, 3 % were found where they are, give or take one
// result; by ranks 90 %. Without outliers it is 97 % either way.
//
// # Dates
//
// The split that is tested says that something changed; where the levels meet is looked for anew,
// in the values, once all changes are known (find.go).
//
// # What is assumed
//
// That values without a change could have come in any order. Where neighbours are alike this fails,
// and a change is called by chance more often than Alpha says; Depends tells whether the changes of
// a series are in doubt for that. The slow drift of a machine is a change to this test as to any
// other; a ramp comes out as one step or several.
package changepoint

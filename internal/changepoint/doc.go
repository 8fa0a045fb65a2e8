// Package changepoint finds where a series of measurements changed permanently: the value at which
// a new level begins, and the probability of such a change by chance.
//
// The method is E-divisive (Matteson and James, "A nonparametric approach for multiple change point
// analysis of multivariate data", Journal of the American Statistical Association 109, 2014;
// arXiv:1306.4933), in one dimension and with the exponent 1: the split with the greatest energy
// distance between its two sides is tested. If it is significant, both sides are searched in turn.
//
// Significance is tested by permutations: every permutation is searched for its own best split, so
// the chance of any alarm in a series without a change is at most Options.Alpha, whatever the
// distribution. Hunter (Fleming et al., ICPE 2023, doi:10.1145/3578244.3583719; now Apache Otava)
// uses Student's test instead. But the split was selected as the best, so Student's test finds it
// "significant" far more often than its level. Permutations are reproducible by a seed, and fast
// because a split that can no longer become significant is given up after some tens of them.
//
// Distances use ranks, because results of benchmarks have outliers, and two outliers can hide a
// change. With steps by 10 % in 40 results with a coefficient of variation of 3 %, two of them
// doubled, 90 % were found within one result by ranks, and 3 % by values. Without outliers both
// find 97 %. The date of a change is determined again by values, once all changes are known
// (find.go).
//
// The test assumes that values without a change could have come in any order. If neighbours are
// correlated, it reports changes by chance more often than Alpha. Depends reports whether a series
// is doubtful for this reason. A slow drift of the machine counts as a change, and a ramp is found
// as one step or several.
package changepoint

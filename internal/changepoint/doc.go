// Package changepoint finds permanent changes in a series of measurements: the value at which a new
// level begins, and the probability of such a change by chance.
//
// The method is E-divisive (Matteson and James, "A nonparametric approach for multiple change point
// analysis of multivariate data", Journal of the American Statistical Association 109, 2014;
// arXiv:1306.4933), in one dimension and with exponent 1. It tests the split with the largest
// energy distance between its sides. If that is significant, both sides are searched in turn.
//
// Significance is tested by permutations: the best split of the series is compared with the best
// split of each permutation. So the probability of a false alarm in a series without a change is at
// most Options.Alpha for any distribution. Hunter (Fleming et al., ICPE 2023,
// doi:10.1145/3578244.3583719; now Apache Otava) uses Student's t test instead, which reports far
// too many changes, because the split was selected as the best one. Results are reproducible for a
// given seed. A split that can no longer become significant is abandoned after a few tens of
// permutations.
//
// Distances are computed from ranks, because two outliers can hide a change. For steps of 10 % in
// 40 results with a coefficient of variation of 3 %, two of them doubled, ranks found 90 % of the
// changes within one result, and values 3 %. Without outliers both find 97 %. Once all changes are
// known, their indices are determined again from the values (find.go).
//
// The test assumes that values without a change are exchangeable. If neighbours are correlated,
// there are more false alarms than Alpha. Depends detects such series. A slow drift of the machine
// counts as a change, and a ramp is found as one or more steps.
package changepoint

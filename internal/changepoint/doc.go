// Package changepoint finds permanent changes in a series of measurements; see Find. The method is
// E-divisive (Matteson and James, JASA 109, 2014; arXiv:1306.4933), in one dimension and with
// exponent 1. It tests the split with the largest energy distance by permutations, and searches
// both sides of a significant split. So the probability of a false alarm in a series without a
// change is at most Options.Alpha. Hunter (Fleming et al., ICPE 2023, doi:10.1145/3578244.3583719;
// Apache Otava) uses Student's t test, which reports far too many changes, because the split was
// selected as the best one.
//
// Distances are computed from ranks: for steps of 10 % in 40 results with a coefficient of
// variation of 3 %, two of them doubled, ranks found 90 % of the changes within one result, and
// values 3 %. If neighbours are correlated, there are more false alarms than Alpha; see Depends.
package changepoint

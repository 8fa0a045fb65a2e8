// Package evidence has what studies share, from the numbers of their runs to a verdict: the runs by
// scenario (Measured), means and ratios with their 95 % intervals (Interval), the rule that tests a
// claim case by case (Ruling), its result (Found, Missing), and figures (Figure, Curve). words.go
// writes numbers, times and lists as sentences have them.
package evidence

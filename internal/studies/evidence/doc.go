// Package evidence is what studies have in common, from the numbers of their runs to a verdict: the
// runs of a study by scenario (Measured), means and ratios with their 95 % intervals (Interval),
// the rule that puts a claim to the test case by case (Ruling), what came of it (Found, Missing),
// and the figures (Figure, Curve). Package words writes numbers and lists into its sentences.
//
// # Words
//
// Writes numbers, times and lists as a sentence has them.
package evidence

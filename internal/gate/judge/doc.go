// Package judge decides whether a changed program is worse than the one it came from. It computes
// and does nothing else: no clock, no files, no chance but seeded draws, so that the same numbers
// give the same verdict.
//
// Its unit is the pair: base and head measured one right after the other in random order, so that
// whatever drifts in the machine hits both. The change of a pair is log(head/base), signed so that
// plus is worse (worsening); a metric whose direction is not known is an error, never a pass. In
// the order of a decision:
//
//  1. Choice sorts out which metrics are judged, and tells of those that are not.
//  2. Once judges results that were recorded before, in a single stage. Screen, More and Decide
//     spread the pairs of a gate that measures by itself over two stages: a few pairs of
//     everything, and fresh pairs where those look bad or vary too much to decide, at first half
//     of them.
//  3. Weigh makes Evidence of one metric: how likely its values are if it is no worse than the
//     margin allows. The signed-rank test is exact for the changes of the pairs, which the
//     Hodges–Lehmann estimate describes (signedrank.go); for a tail such as p99 the swap
//     test takes its place (tail.go), and for values in no pairs the rank test (comparison.go).
//  4. conclude (conclude.go) makes verdicts of the evidence on a family of metrics: Holm's adjustment, then
//     worse, better, no worse, inconclusive.
//  5. Report.AddTo hands the rows over to the report of the gate, in its order.
package judge

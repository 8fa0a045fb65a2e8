// Package judge decides whether a changed program is worse than the one it came from. It computes and does nothing else: no
// clock, no files, no chance but seeded draws, so that the same numbers give the same verdict.
//
// Its unit is the pair: base and head measured one right after the other in random order, so that whatever drifts in the machine
// hits both. The change of a pair is log(head/base), signed so that plus is worse (Worsening); a metric whose direction is not
// known is an error, never a pass. In the order of a decision:
//
//  1. SignedRank tests the changes of the pairs exactly, HodgesLehmann estimates them with an interval (signedrank.go, walsh.go).
//     For a tail such as p99 the swap test takes the place of the signed-rank test (tail.go).
//  2. Weigh makes Evidence of one metric: how likely its pairs are if it is no worse than the margin allows.
//  3. Conclude makes verdicts of the evidence on a family of metrics: Holm's adjustment, then worse, better, no worse, inconclusive.
//  4. Screen, More and Decide spread the pairs over two stages, for what runs a gate: a few pairs of everything, and fresh pairs where
//     those look bad or scatter too much to tell, at first half of them. For results that were recorded before, Weigh and Conclude are a single stage.
package judge

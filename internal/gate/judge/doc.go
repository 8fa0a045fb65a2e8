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
//     Numbers of allocations are judged as numbers (allocations.go).
//  4. conclude (conclude.go) makes verdicts of the evidence on a family of metrics: Holm's adjustment, then
//     worse, better, no worse, inconclusive.
//  5. Report.AddTo hands the rows over to the report of the gate, in its order.
//
// # Replay
//
// Replays recorded noise through the gate's own decisions (internal/gate/judge) and
// tests whether it reaches its goals: how often it cries wolf over code that did not change, and
// how often it finds a regression that was put in. By default it replays few gates, and tests what
// they contradict. The goals are stated for 2000 of each kind of noise:
//
//	go test ./internal/gate/replay -v -full goals              some two minutes on two idle cores
//	go test ./internal/gate/replay -v -full goals -seed 7      with another seed than 1
//	go test ./internal/gate/replay -v -full unpaired -timeout 1h     tables of runs that are not paired, beyond what the goals promise: ten minutes or more
//
// It prints a line for each goal and fails when one is missed. Equal seeds print equal lines.
//
// Two traces were recorded by running the same code again and again on a shared virtual machine
// with two cores, so that every difference in them is noise; testdata/README.md describes them. Two
// more kinds of noise are synthetic: see sources_test.go and tails_test.go.
package judge

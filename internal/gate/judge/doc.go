// Package judge decides whether a changed program is worse than its base. It is pure computation:
// no clock, no files, and only seeded random draws, so the same numbers give the same verdict.
//
// Its unit is the pair: base and head measured one right after the other in random order, so that a
// drift of the machine affects both. The change of a pair is log(head/base), signed so that plus is
// worse. A metric whose direction is not known is an error, never a pass. The steps of a decision:
//
//  1. A Choice selects the metrics to judge, and reports the others.
//  2. Once judges recorded results in a single stage. Screen, More and Decide spread the pairs of
//     a gate that measures by itself over two stages: a few pairs of everything, and fresh pairs
//     for metrics that look bad or vary too much to decide.
//  3. Weigh makes Evidence of one metric: the probability of its values if it is no worse than the
//     margin allows. It applies the exact signed-rank test to the changes of the pairs, and
//     describes them by the Hodges–Lehmann estimate (signedrank.go). A tail such as p99 has the
//     swap test instead (tail.go), unpaired values the rank test (comparison.go). Allocations are
//     judged as numbers, not as ratios (allocations.go).
//  4. conclude (conclude.go) turns the evidence on a family of metrics into verdicts, with Holm's
//     adjustment: worse, better, no worse, inconclusive.
//  5. Report.AddTo adds the rows to the report of the gate.
//
// # Replay
//
// TestGoals replays recorded noise through these decisions, and tests how often the gate raises a
// false alarm and how often it finds an added regression. A normal run replays few gates. The goals
// are stated for 2000 of each kind of noise:
//
//	go test ./internal/gate/judge -run TestGoals -v -full goals
//	go test ./internal/gate/judge -run TestGoals -v -full unpaired -timeout 1h
//
// The first takes two minutes on two idle cores. The second prints tables of runs without pairs, in
// ten minutes or more. The flag -seed sets another seed than 1. Equal seeds give equal output.
// testdata/README.md describes the two recorded traces, in which every difference is noise.
// sources_test.go and tails_test.go make synthetic noise.
package judge

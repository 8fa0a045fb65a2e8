// Package judge decides whether a changed program is worse than its base. It is pure computation:
// no clock, no files, and only seeded random draws, so equal inputs give equal verdicts.
//
// Base and head are measured in pairs, one right after the other in random order, so that a drift
// of the machine affects both. The change of a pair is log(head/base), signed so that positive is
// worse. A metric of unknown direction is an error, never a pass. A decision has these steps:
//  1. A Choice selects the metrics to judge, and reports the others.
//  2. Once judges recorded results in a single stage. Screen, More and Decide judge a gate that
//     measures by itself in two stages: a few pairs of all benchmarks, then fresh pairs for metrics
//     that look worse or vary too much.
//  3. Weigh computes the Evidence on one metric: the probability of its values if it is no worse
//     than the margin. It applies the exact signed-rank test to the changes of the pairs, and
//     estimates the change by Hodges and Lehmann's method (signedrank.go). A tail quantile such as
//     the p99 is tested by swaps (tail.go), unpaired values by ranks (comparison.go). Allocations
//     are compared by differences instead of ratios (allocations.go).
//  4. conclude (conclude.go) turns the evidence on a family of metrics into verdicts, with Holm's
//     adjustment: worse, better, no worse, inconclusive.
//  5. Report.AddTo adds the rows to the report of the gate.
//
// # Replay
//
// TestGoals replays recorded noise through these decisions. It counts false alarms and the
// regressions found. A normal run replays few gates. The goals are defined for 2000 gates per kind
// of noise:
//
//	go test ./internal/gate/judge -run TestGoals -v -full goals
//	go test ./internal/gate/judge -run TestGoals -v -full unpaired -timeout 1h
//
// The first command takes two minutes on two idle cores. The second prints tables for unpaired
// runs, in ten minutes or more. The flag -seed sets another seed than 1. Equal seeds give equal
// output. testdata/README.md describes the two recorded traces, in which every difference is noise.
// sources_test.go and tails_test.go generate synthetic noise.
package judge

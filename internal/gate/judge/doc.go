// Package judge decides whether a changed program is worse than its base: a Choice selects the
// metrics, Weigh tests one metric, and Once, or Screen, More and Decide (two stages), return
// verdicts. It is pure computation with seeded random draws, so equal inputs give equal verdicts.
//
// Base and head are measured in pairs, one right after the other in random order, so a drift of the
// machine affects both. Changes are log(head/base), signed so that positive is worse. A metric of
// unknown direction is an error, never a pass.
//
// TestGoals counts false alarms and found regressions in recorded noise. The goals are defined for
// two and ten minutes of replays:
//
//	go test ./internal/gate/judge -run TestGoals -v -full goals
//	go test ./internal/gate/judge -run TestGoals -v -full unpaired -timeout 1h
package judge

// Package judge decides whether a changed program is worse than its base: a Choice selects the
// metrics, Weigh tests one metric, and Once, or Screen, More and Decide (two stages), return
// verdicts. It is pure computation with seeded random draws, so equal inputs give equal verdicts.
//
// Base and head are measured in pairs, one right after the other in random order, so a drift of the
// machine affects both. Changes are log(head/base), signed so that positive is worse. A metric of
// unknown direction is an error, never a pass.
//
// TestGoals replays recorded noise and counts false alarms and the regressions found. The goals are
// defined for 2000 gates per kind of noise, which take two and ten minutes on two idle cores:
//
//	go test ./internal/gate/judge -run TestGoals -v -full goals
//	go test ./internal/gate/judge -run TestGoals -v -full unpaired -timeout 1h
package judge

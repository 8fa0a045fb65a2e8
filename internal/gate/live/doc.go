// Package live puts the gate itself to the test, on the machine that it runs on: twenty benchmarks
// of a module that it makes, of which the head does the same work as the base, or a counted part
// more, and `poolbench gate --base` is to say so.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go test ./internal/gate/live -timeout 3h -poolbench /tmp/poolbench                    20 gates of unchanged code and 10 with regressions: about an hour
//	go test ./internal/gate/live -timeout 3h -poolbench /tmp/poolbench -suite small       with benchmarks of nanoseconds
//	go test ./internal/gate/live -poolbench /tmp/poolbench -unchanged 2 -changed 1 -runtime 20ms
//
// It prints a report in Markdown that names the machine (docs/gate-live.md is one), and fails when
// a goal is missed. What the gate does with noise that was recorded is replayed by
// internal/gate/replay.
package live

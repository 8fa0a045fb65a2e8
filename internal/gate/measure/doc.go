// Package measure measures two revisions of a Go module against each other, by the module's own
// benchmarks. Package internal/gate/judge decides.
//
// The base is a revision, the head another one or the working tree. Both are checked out into a
// temporary directory, and the repository stays as it is. Each benchmark that matches must exist
// and run on both sides.
//
// Unchanged code is about 1.5 % faster or slower in each build, depending on the addresses of its
// functions. With a single build of each side half of the gates on unchanged code fail. So each
// side has several test binaries, with their functions in different orders, and each pair for a
// verdict has binaries of its own. A pair is a run of the base and a run of the head, with the same
// number of iterations, and with the same seed in the environment for benchmarks that draw their
// work from it. Both are cut into parts, each a process, which alternate. The first is chosen at
// random. The time of a run is that of the faster half of its parts, because other programs disturb
// the slower ones. Benchmarks with metrics of their own are not cut. Each round has one pair of
// every benchmark, in random order, so that a machine that slows down affects all of them.
//
// A few pairs of everything, with shorter runs, screen it. Benchmarks with a metric that looks
// worse, or varies too much to decide, get fresh pairs. A verdict of worse or better uses only the
// fresh pairs (see judge). Two controls run in the same rounds: the same work twice, which must not
// differ, and 15 % more work, which must be worse. If the controls fail, the gate cannot judge.
// forecast.go estimates the duration. Where the system counts instructions, they are a second
// metric, in a family of its own: see openInstructions.
//
// old.txt and new.txt contain every finished run in the Go benchmark format, and plan.json
// describes the runs. A gate that was killed resumes from them. report.html shows each pair.
//
// # Test on a real machine
//
// TestLive tests the gate on the current machine: twenty benchmarks of a generated module, whose
// head does the same work as the base, or a known share more. It prints a report in Markdown
// (docs/measured/gate-live.md contains some), and fails when a goal is missed.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go test ./internal/gate/measure -run TestLive -timeout 3h -poolbench /tmp/poolbench
//
// That runs 20 gates of unchanged code and 10 with regressions, in about an hour. -suite small uses
// benchmarks of nanoseconds. -unchanged 2 -changed 1 -runtime 20ms is a short trial.
package measure

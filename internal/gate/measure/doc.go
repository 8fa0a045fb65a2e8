// Package measure measures two revisions of a Go module against each other, by the module's own
// benchmarks. Package internal/gate/judge decides.
//
// What is compared: the base is a revision, the head another one or the working tree. Both are
// checked out into a temporary directory, and the repository stays as it is. Each benchmark that
// matches must exist and run on both sides.
//
// What is run: code that has not changed at all is some 1.5 % faster or slower in each build, by
// where the linker happens to put its functions, and with a single build of each side half of the
// gates on unchanged code fail. So each side has several test binaries, with their functions in
// different orders, and each pair that a verdict rests on has binaries of its own. A pair is a run
// of the base and a run of the head, with the same number of iterations, and with the same seed in
// the environment for benchmarks that draw their work from it. Both are cut into parts, each a
// process, which alternate; the first is chosen at random. The time of a run is that of the faster
// half of its parts, because the others show what else ran on the machine. Benchmarks that report
// more than package testing measures are not cut. Rounds of one pair of every benchmark, in random
// order, spread the pairs over the whole time, so that a machine that slows down affects all of
// them.
//
// How it is decided: a few pairs of everything screen it, in shorter runs. Benchmarks with a metric
// that looks worse, or varies too much to decide, get fresh pairs; a verdict of worse or better
// rests on these alone (see judge). Two controls run in the same rounds: the same work twice, which
// must not differ, and 15 % more work, which must be worse. A gate whose controls fail cannot
// judge. How long it takes is forecast (forecast.go). Where the system counts instructions, they
// are a second metric, in a family of its own: see openInstructions.
//
// What is kept: old.txt and new.txt hold every run as it comes, in the Go benchmark format, and
// plan.json what was run. A gate that was killed resumes from them. report.html shows each pair.
//
// # Test on a real machine
//
// TestLive tests the gate where it runs: twenty benchmarks of a module that it makes, of which the
// head does the same work as the base, or a known part more. It prints a report in Markdown
// (docs/gate-live.md has some), and fails when a goal is missed.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go test ./internal/gate/measure -run TestLive -timeout 3h -poolbench /tmp/poolbench
//
// That runs 20 gates of unchanged code and 10 with regressions, in about an hour. -suite small
// takes benchmarks of nanoseconds; -unchanged 2 -changed 1 -runtime 20ms is a short trial.
package measure

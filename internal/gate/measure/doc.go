// Package measure measures two revisions of a Go module against each other, by the module's own
// benchmarks, and has internal/gate/judge decide.
//
// What is compared. The base is a revision; the head is another, or the working tree as it is. Both
// are checked out into a temporary directory, and nothing of them stays in the repository. Each
// benchmark that matches must be on both sides, and run on both.
//
// What is run. Code that has not changed at all is some 1.5 % faster or slower in each build, by
// where the linker happens to put its functions; a single build of each side makes half of the
// gates on unchanged code fail. So each side has several test binaries, whose functions lie in
// different orders, and takes them in turn; and each pair that a verdict rests on has binaries of
// its own. A pair is a run of the base and a run of the head, with as many iterations, and with the
// same seed in the environment, for benchmarks that draw their work from it. Both are cut into
// parts, each a process of its own, that take turns; a random one is first. The times are those of
// the faster half of the parts: each does the same, so that the others tell of what was around
// them. Benchmarks that report more than package testing measures are not cut: their runs come one
// after the other. Rounds of one pair of every benchmark, in random order, spread each benchmark's
// pairs over the whole time, so that a machine that slows down hits all alike.
//
// How it is decided. A few pairs of everything screen it; those benchmarks of which a metric looks
// worse, or scatters too much to tell, get fresh pairs, on which alone the verdict rests (see
// judge). Two controls go along in the same rounds as if they were benchmarks of the module: the
// same work twice, which must not be worse, and 15 % more work, which must. A gate whose controls
// fail has shown nothing.
//
// Where the system counts instructions, they are a metric beside time, in a family of its own: see
// openInstructions.
//
// What is kept. old.txt and new.txt hold every run as it comes, in the Go benchmark format;
// plan.json what was run. A gate that was killed goes on from them. Each pair is drawn in
// report.html.
//
// # Live
//
// Puts the gate itself to the test, on the machine that it runs on: twenty benchmarks
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
package measure

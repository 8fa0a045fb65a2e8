// Package measure compares two revisions of a Go module by the module's own benchmarks. Package
// internal/gate/judge decides.
//
// The base is a revision, the head another revision or the working tree. Both are checked out into
// a temporary directory; the repository does not change. Each selected benchmark must exist and run
// on both sides.
//
// The time of unchanged code varies by about 1.5 % between builds, depending on the addresses of
// its functions. With a single build per side half of the gates on unchanged code fail. So each
// side has several test binaries with different orders of functions, and each pair that counts for
// a verdict has its own binaries. A pair is a run of the base and a run of the head with the same
// number of iterations, and with the same seed in the environment for benchmarks with random work.
// Both runs are divided into parts, each in its own process. The parts of the two runs alternate,
// and the first side is random. The time of a run is the mean of the faster half of its parts,
// because other programs disturb the slower ones. Benchmarks that report other metrics are not
// divided. Each round measures one pair of every benchmark, in random order, so that a change of
// the machine's speed affects all benchmarks.
//
// The first stage (screening) measures a few pairs of every benchmark, with shorter runs.
// Benchmarks with a metric that looks worse, or varies too much, get fresh pairs. A verdict of
// worse or better uses only the fresh pairs (see judge). Two controls run in the same rounds: the
// same work twice, which must not differ, and 15 % more work, which must be worse. If a control
// fails, the gate cannot judge. forecast.go estimates the duration. If the system counts
// instructions, they are a second metric in a separate family; see openInstructions.
//
// old.txt and new.txt contain every finished run in the Go benchmark format, and plan.json
// describes the runs. A killed gate resumes from these files. report.html shows each pair.
//
// # Test on a real machine
//
// TestLive tests the gate on the current machine. It generates a module with twenty benchmarks
// whose head does the same work as the base, or a known percentage more. It prints a report in
// Markdown (see docs/measured/gate-live.md), and fails if a goal is missed.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go test ./internal/gate/measure -run TestLive -timeout 3h -poolbench /tmp/poolbench
//
// This runs 20 gates of unchanged code and 10 with regressions, in about an hour. -suite small uses
// benchmarks of nanoseconds. -unchanged 2 -changed 1 -runtime 20ms is a short trial.
package measure

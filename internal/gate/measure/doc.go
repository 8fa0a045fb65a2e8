// Package measure compares two revisions of a Go module by the module's own benchmarks; see Gate.
// Package internal/gate/judge decides. Both revisions are checked out into a temporary directory;
// the repository does not change.
//
// The time of unchanged code varies by about 1.5 % between builds, depending on the addresses of
// its functions. With a single build per side half of the gates on unchanged code fail. So each
// side has several test binaries with different orders of functions (layouts). A pair is a run of
// each side with the same number of iterations and the same seed. Each round measures one pair of
// every benchmark, in random order, so a change of the machine's speed affects all benchmarks.
//
// Two controls run in the same rounds: the same work twice, which must not differ, and 15 % more
// work, which must be worse. TestLive tests the gate on the current machine in about an hour (see
// docs/measured/gate-live.md):
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go test ./internal/gate/measure -run TestLive -timeout 3h -poolbench /tmp/poolbench
package measure

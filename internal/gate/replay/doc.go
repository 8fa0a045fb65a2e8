// Package replay replays recorded noise through the gate's own decisions (internal/gate/judge) and
// tests whether it reaches its goals: how often it cries wolf over code that did not change, and
// how often it finds a regression that was put in. By default it replays few gates, and tests what
// they contradict. The goals are stated for 2000 of each kind of noise:
//
//	go test ./internal/gate/replay -v -full goals              some two minutes on two idle cores
//	go test ./internal/gate/replay -v -full goals -seed 7      with another seed than 1
//	go test ./internal/gate/replay -v -full unpaired -timeout 1h     tables of runs that are not paired, beyond what the goals promise: ten minutes or more
//
// It prints a line for each goal and fails when one is missed. Equal seeds print equal lines.
//
// Two traces were recorded by running the same code again and again on a shared virtual machine
// with two cores, so that every difference in them is noise; testdata/README.md describes them. Two
// more kinds of noise are synthetic: see sources_test.go and tails_test.go.
package replay

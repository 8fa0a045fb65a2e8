// Replay replays recorded noise through the gate's own decisions (internal/gate/judge) and says
// whether it reaches its goals: how often it cries wolf over code that did not change, and how
// often it finds a regression that was put in.
//
//	go run ./internal/gate/replay             2000 gates for each kind of noise: some two minutes on two idle cores
//	go run ./internal/gate/replay 7           with another seed than 1
//	go run ./internal/gate/replay unpaired    tables of runs that are not paired, beyond what the goals promise: ten minutes or more
//
// It prints a line for each goal and exits 1 when one is missed. Equal seeds print equal lines.
//
// Two traces were recorded by running the same code again and again on a shared virtual machine
// with two cores, so that every difference in them is noise; testdata/README.md describes them. Two
// more kinds of noise are synthetic: see sources.go and tails.go.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes: all goals reached, one missed, bad usage or a trace that cannot be read.
const (
	reached = iota
	missed
	unusable
)

func run(args []string, stdout, stderr io.Writer) int {
	tables := len(args) > 0 && args[0] == "unpaired"
	if tables {
		args = args[1:]
	}
	seed := uint64(1)
	if len(args) > 0 {
		n, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil || len(args) > 1 {
			fmt.Fprintf(stderr, "replay: want at most \"unpaired\" and a seed, a whole "+
				"number, got %q\n", args)
			return unusable
		}
		seed = n
	}
	t, err := readTraces()
	if err != nil {
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return unusable
	}
	if tables {
		if err := full(t, seed).writeUnpaired(stdout); err != nil {
			fmt.Fprintf(stderr, "replay: %v\n", err)
			return unusable
		}
		return reached
	}
	goals := full(t, seed).goals()
	if err := writeTable(stdout, goals); err != nil {
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return unusable
	}
	for _, g := range goals {
		if !g.reached() {
			return missed
		}
	}
	return reached
}

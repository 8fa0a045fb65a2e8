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
	"slices"
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
	all, err := report(stdout, tables, seed)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return unusable
	case !all:
		return missed
	}
	return reached
}

// report writes the tables, or the goals and whether all of them are reached.
func report(w io.Writer, tables bool, seed uint64) (all bool, err error) {
	t, err := readTraces()
	switch {
	case err != nil:
		return false, err
	case tables:
		return true, full(t, seed).writeUnpaired(w)
	}
	goals := full(t, seed).goals()
	return !slices.ContainsFunc(goals, func(g goal) bool { return !g.reached() }),
		writeTable(w, goals)
}

// Live puts the gate itself to the test, on the machine that it runs on: twenty benchmarks of a
// module that it makes, of which the head does the same work as the base, or a counted part more,
// and `poolbench gate --base` is to say so.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go run ./internal/gate/live /tmp/poolbench                       20 gates of unchanged code and 10 with regressions: about an hour
//	go run ./internal/gate/live -suite small /tmp/poolbench          with benchmarks of nanoseconds
//	go run ./internal/gate/live -unchanged 2 -changed 1 -benchtime 20ms /tmp/poolbench
//
// It prints a report in Markdown that names the machine (docs/gate-live.md is one), and exits 1
// when a goal is missed. What the gate does with noise that was recorded is replayed by
// internal/gate/replay.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes: all goals reached, one missed, bad usage or a gate that could not be run.
const (
	reached = iota
	missed
	unusable
)

func run(args []string, stdout, stderr io.Writer) int {
	o, err := read(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return reached
	case err != nil:
		fmt.Fprintf(stderr, "live: %v\n", err)
		return unusable
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	trial, err := o.try(ctx, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "live: %v\n", err)
		return unusable
	}
	fmt.Fprint(stdout, trial.report(time.Now()))
	if !trial.passed() {
		return missed
	}
	return reached
}

// options are what to run.
type options struct {
	poolbench          string // the program
	suite              suite
	unchanged, changed int // gates of either kind
	benchTime          time.Duration
	seed               int // of the first gate; the next have the next ones
}

func read(args []string, stderr io.Writer) (options, error) {
	o := options{suite: usual}
	flags := flag.NewFlagSet("live [flags] POOLBENCH", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Var(&o.suite, "suite", "which benchmarks: usual or small")
	flags.IntVar(&o.unchanged, "unchanged", 20, "gates of unchanged code")
	flags.IntVar(&o.changed, "changed", 10, "gates with regressions")
	flags.DurationVar(&o.benchTime, "benchtime", 250*time.Millisecond, "the length of a run")
	flags.IntVar(&o.seed, "seed", 1, "that of the first gate; the next gates have the next seeds")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 {
		return o, errors.New("want one argument, the poolbench program")
	}
	if o.seed < 1 || o.unchanged < 0 || o.changed < 0 || o.benchTime <= 0 {
		return o, errors.New("want a number of gates of either kind, and a time and a seed above 0")
	}
	o.poolbench = flags.Arg(0)
	return o, nil
}

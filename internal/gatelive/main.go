// Gatelive puts the gate itself to the test, on the machine that it runs on: twenty benchmarks of a module that it makes, of which the head does
// the same work as the base, or a counted part more, and `poolbench gate --base` is to say so.
//
//	go build -o /tmp/poolbench ./cmd/poolbench
//	go run ./internal/gatelive /tmp/poolbench               20 gates of unchanged code and 10 with regressions: a quarter of an hour
//	go run ./internal/gatelive /tmp/poolbench 2 1 20ms      2 and 1, each run 20ms long
//
// It prints a report in Markdown that names the machine (docs/gate-live.md is one), and exits 1 when a goal is missed. What the gate does with noise
// that was recorded is replayed by internal/gatereplay.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
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
	o := options{unchanged: 20, changed: 10, benchTime: "60ms"}
	if err := o.read(args); err != nil {
		fmt.Fprintf(stderr, "gatelive: %v\n", err)
		return unusable
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	trial, err := o.try(ctx, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "gatelive: %v\n", err)
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
	unchanged, changed int    // gates of either kind
	benchTime          string
}

func (o *options) read(args []string) (err error) {
	if len(args) != 1 && len(args) != 4 {
		return fmt.Errorf("want the poolbench program, and then none or all of: gates of unchanged code, gates with regressions, the time of a run")
	}
	o.poolbench = args[0]
	if len(args) == 1 {
		return nil
	}
	if o.unchanged, err = strconv.Atoi(args[1]); err != nil || o.unchanged < 0 {
		return fmt.Errorf("want a number of gates, got %q", args[1])
	}
	if o.changed, err = strconv.Atoi(args[2]); err != nil || o.changed < 0 {
		return fmt.Errorf("want a number of gates, got %q", args[2])
	}
	o.benchTime = args[3]
	return nil
}

// Package poolbench is the poolbench command with parts of your own in it:
//
//	func main() {
//		strategies.Register(strategies.Spec{Name: "mine", Keys: …, New: newMine})
//		workloads.Register(workloads.Func("checkout", callCheckout))
//		poolbench.Main()
//	}
//
// What is registered before Main, in packages strategies, workloads, targets and bench/arrivals, is
// known to every subcommand by its name: `go run . run --strategy mine:burst=3,worker_pool
// --workload checkout --rate 200`. Runs under the virtual clock are made by children of the program
// itself, so that a main function does nothing before Main but register. A child may make several,
// one after another: what a strategy keeps in variables of its package outlives a run.
package poolbench

import (
	"context"
	"os"

	"github.com/poolbench/poolbench/internal/cli"
)

// Main is the command: it reads the program's arguments and ends it with the command's exit code.
func Main() { os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

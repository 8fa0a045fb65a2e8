// Package poolbench is the poolbench command with parts of your own in it:
//
//	func main() {
//		strategies.Register(strategies.Spec{Name: "mine", Keys: …, New: newMine})
//		workloads.Register(workloads.Func("checkout", callCheckout))
//		poolbench.Main()
//	}
//
// Every subcommand knows by name what was registered before Main in packages strategies, workloads,
// targets and bench/arrivals: `go run . run --strategy mine:burst=3,worker_pool --workload checkout
// --rate 200`.
//
// Runs under the virtual clock are made by children of the program itself, so a main function must
// do nothing before Main but register. A child may make several runs, one after another: package
// variables of a strategy outlive a run.
package poolbench

import (
	"context"
	"os"

	"github.com/poolbench/poolbench/internal/cli"
)

// Main is the command: it reads the program's arguments and ends it with the command's exit code.
func Main() { os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

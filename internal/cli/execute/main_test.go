package execute

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"

	_ "github.com/poolbench/poolbench/strategies/peers" // registers strategies that virtually selects
)

// childFault makes a child exit at a serial strategy: in any run ("exit"), or only if the child is
// reused ("worn").
const childFault = "POOLBENCH_TEST_CHILD_FAULT"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "simulate" {
		h, runs := NewHost(terminal.New(os.Stdout, os.Stderr)), 0
		h.Drive = func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
			runs++
			if fault := os.Getenv(childFault); s.Strategy.Spec.Name == "serial" &&
				(fault == "exit" || fault == "worn" && runs > 1) {
				os.Exit(7)
			}
			return bench.Run(ctx, s)
		}
		if err := h.Simulate(context.Background(), os.Stdin); err != nil {
			panic(err)
		}
		return
	}
	// some libraries start goroutines when imported
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

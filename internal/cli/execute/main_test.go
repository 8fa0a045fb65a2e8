package execute

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"

	_ "github.com/poolbench/poolbench/strategies/peers" // of virtually's all
)

// childFault has a child end at a serial strategy: "exit", or "worn" where it has run something
// before.
const childFault = "POOLBENCH_TEST_CHILD_FAULT"

// TestMain: the test binary doubles as the child of a runner.
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
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) // some libraries start theirs when imported
}

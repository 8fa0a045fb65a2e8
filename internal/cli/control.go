package cli

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/gate/measure"
)

// controlBlocks is the work of one iteration of the control: about a tenth of a millisecond, so
// that short runs have many.
const controlBlocks = 2000

// controlCommand is the benchmark of known outcome that a gate measures beside the others: a fixed
// number of SHA-256 blocks, or 15 % more. It is part of this program, so that it is there for any
// module. It keeps nothing in memory that grows, and starts nothing.
func (a *app) controlCommand() *cobra.Command {
	var slower bool
	cmd := &cobra.Command{
		Use:    "control BENCHTIME [flags]",
		Short:  "a benchmark of known work, printed as go test does (for poolbench itself)",
		Hidden: true,
		Args:   operands("BENCHTIME"),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := measure.ParseBenchTime(args[0])
			if err != nil {
				return fmt.Errorf("control: %w", err)
			}
			blocks := controlBlocks
			if slower {
				blocks = int(controlBlocks * (1 + measure.ControlSlowdown))
			}
			iterations, took := work(b, blocks)
			_, err = fmt.Fprintf(a.stdout, "%s\t%d\t%g ns/op\n", measure.ControlName, iterations,
				float64(took)/float64(iterations))
			return err
		},
	}
	cmd.Flags().BoolVar(&slower, "slower", false, "do 15 % more")
	return cmd
}

// work hashes that many blocks an iteration, until the time or the iterations are over.
func work(b measure.BenchTime, blocks int) (iterations int, took time.Duration) {
	var block [sha256.BlockSize]byte
	hash := sha256.New()
	for began := time.Now(); iterations < b.Iterations || took < b.Time; {
		for range blocks {
			hash.Write(block[:]) // never fails
		}
		iterations++
		took = time.Since(began)
	}
	return iterations, took
}

package clitest

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/spooltest"
	"github.com/poolbench/poolbench/strategies"
)

// planted strategies exist only in this test and its child processes.
var planted = map[string]spooltest.Fault{
	"planted_sound":   spooltest.Sound,
	"planted_late":    spooltest.PutsLate,
	"planted_early":   spooltest.AcksEarly,
	"planted_some":    spooltest.DropsSome,
	"planted_doubles": spooltest.AcksMost,
}

// PlantedHere is the environment variable that makes a process register the planted strategies.
const PlantedHere = "POOLBENCH_PLANTED"

func plant() {
	for name, fault := range planted {
		spec := spooltest.Spec(fault)
		spec.Name, spec.Summary, spec.Source = name, "planted by a test", "a test"
		spec.UseIf = "a test must find it"
		strategies.Register(spec)
	}
}

// Flipped is the environment variable with a directory whose files a process of crash damages at
// its start, between a kill and the restart.
const Flipped = "POOLBENCH_FLIPPED"

func flip(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		for i := 0; i < len(data); i += 97 {
			data[i] ^= 0x55
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		return err
	})
}

func runAsCommand(args []string) int {
	h := host(os.Stdout, os.Stderr)
	if os.Getenv(SoonEnough) != "" {
		h.FirstPause = time.Millisecond
	}
	if os.Getenv(PlantedHere) != "" {
		plant()
		plantCauses()
	}
	if dir := os.Getenv(Flipped); dir != "" && args[0] == "crashing" {
		flip(dir)
	}
	if fault := os.Getenv(ChildFault); fault != "" && args[0] == "simulate" {
		runs := 0
		h.Drive = func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
			if runs++; s.Strategy.Spec.Name == "serial" && (fault != "worn" || runs > 1) {
				misbehave(fault)
			}
			return bench.Run(ctx, s)
		}
	}
	if os.Getenv(Steadily) != "" && args[0] == "control" {
		ns := 1000.0
		switch {
		case os.Getenv(Steadily) == Wild:
			ns *= math.Exp(2 * rand.NormFloat64())
		case slices.Contains(args, "--slower=true"):
			ns = 1150
		}
		// a metric of its own keeps a run in one process
		fmt.Printf("%s\t100\t%g ns/op\t1 steady\n", measure.ControlName, ns)
		return Fine
	}
	if os.Getenv(StuckDrive) != "" && args[0] != "simulate" {
		h.Grace = time.Hour // the test sends a second signal, however late
		h.Drive = func(context.Context, bench.Scenario) (*bench.Result, error) {
			fmt.Fprintln(os.Stderr, "stuck")
			select {}
		}
	}
	return cli.RunOn(context.Background(), h, args, os.Stdin)
}

func misbehave(fault string) {
	switch fault {
	case "panic":
		go func() {
			panic("index out of cheese\n\nwith\n" + strings.Repeat("a very long line ", 1000))
		}()
		select {}
	case "hang":
		for i := 0; ; i++ {
			spin(i)
		}
	case "deadlock":
		select {}
	case "exit", "worn": // worn: only in a process that has run something before
		os.Exit(7)
	case "chatter":
		fmt.Fprintln(os.NewFile(1, "stdout"), "strategies may not print")
		os.Exit(0)
	case "linger": // a child holds the pipes of this process after its end
		sleep := exec.Command("sleep", "5")
		held = os.NewFile(1, "stdout")
		sleep.Stdout, sleep.Stderr = held, os.Stderr
		if err := sleep.Start(); err != nil {
			panic(err)
		}
		return
	}
	panic("unknown fault " + fault)
}

var held *os.File // prevents the finalizer from closing it

//go:noinline
func spin(int) {}

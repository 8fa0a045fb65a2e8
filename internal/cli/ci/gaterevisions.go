package ci

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/gate"
)

type measureFlags struct {
	measure.Options
	bisect bool
	quiet  bool
	own    *pflag.FlagSet // --base, and flags that require it
}

func (o *measureFlags) AddTo(cmd *cobra.Command) {
	o.Options = measure.Defaults()
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.StringVar(&o.Base, "base", "",
		"compare the module with this `REV`, instead of comparing results")
	fs.StringVar(&o.Head, "head", "",
		"revision to measure, `REV` (default the working tree with its uncommitted changes)")
	fs.BoolVar(&o.bisect, "bisect", false,
		"find the commit after GOOD, up to BAD, that made a benchmark worse")
	fs.StringVar(&o.Dir, "dir", o.Dir, "directory of the module, `DIR`, or a directory below it")
	fs.StringVar(&o.Bench, "bench", o.Bench,
		"run the benchmarks that match this `REGEXP`, as in go test -bench")
	fs.StringVar(&o.Skip, "skip", "", "skip benchmarks that match this `REGEXP`")
	fs.StringSliceVar(&o.Packages, "pkg", o.Packages,
		"`PACKAGES` of the benchmarks, named as for the go command; several with commas")
	fs.Var(flags.Parsed(&o.Args, "ARGS", splitArguments), "args",
		"pass `ARGS` to the test binaries, split as a shell does")
	fs.StringVar(&o.Setup, "setup", "",
		"run this `COMMAND` by sh in both checkouts of the module, before they are built")
	benchTime := flags.Parsed(&o.BenchTime, "TIME", measure.ParseBenchTime)
	benchTime.Show = o.BenchTime.String
	fs.Var(benchTime, "benchtime", "`TIME` of a run, or a number of iterations such as 100x")
	fs.IntVar(&o.Layouts, "layouts", o.Layouts,
		"build each side `N` times, each with another function order")
	fs.IntVar(&o.Judge.FreshPairs, "pairs", o.Judge.FreshPairs,
		"measure up to `N` fresh pairs of a benchmark that looks worse; up to 5 N if it is noisy")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "`SEED` of the order of runs, the layouts and the work")
	fs.StringVarP(&o.Out, flags.OutFlag, "o", "",
		"write to this `DIR` (default "+flags.OutRoot+"/gate-DATE-TIME)")
	fs.BoolVar(&o.Resume, "resume", false,
		"continue the interrupted gate in DIR")
	fs.BoolVar(&o.Force, "force", false, "replace the results in DIR: measure again")
	fs.DurationVar(&o.Limit, flags.RunLimit, 0,
		"abort a process after this `TIME` (default 30s + 20 × its estimate)")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	o.own = fs
	cmd.Flags().AddFlagSet(fs)
}

// splitArguments splits a text like a shell. It does not run commands or expand file names, which
// would be resolved in the wrong directory.
func splitArguments(text string) ([]string, error) {
	args, err := shell.Fields(text, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("a shell cannot split %q: %w", text, err)
	}
	return args, nil
}

func (o *measureFlags) changed() (name string) {
	o.own.VisitAll(func(f *pflag.Flag) {
		if f.Changed && name == "" {
			name = f.Name
		}
	})
	return name
}

func (a *app) gateRevisions(ctx context.Context, f gateFlags) error {
	o, err := f.measureOptions(time.Now())
	if err != nil {
		return err
	}
	if err := f.writePlaceholder(o.Out); err != nil {
		return err
	}
	watch := newProgress(a.Stderr, f.measure.quiet)
	ctx, done := terminal.Interruptible(ctx, watch.Println)
	defer done()
	watch.Println(fmt.Sprintf("results go to %s, seed %d", o.Out, o.Seed))
	report, err := measure.Gate(ctx, o, watch)
	watch.Close()
	if err != nil {
		a.Complain(f.writeNoVerdict(nil, err))
		return a.gateFailure(ctx, o, err)
	}
	if len(report.Pairs) == 0 { // it ended before it measured any benchmark
		return a.showGate(report, f)
	}
	page := filepath.Join(o.Out, rundir.ReportFile)
	drawing := rundir.Replace(page, func(w io.Writer) error {
		return gate.WritePage(w, report)
	})
	a.Complain(drawing)
	shown := a.showGate(report, f)
	if code, ok := errors.AsType[terminal.ExitCode](shown); shown != nil && !ok {
		return shown
	} else if drawing != nil {
		return terminal.Severest(terminal.Unusable, code)
	}
	if f.format == "text" {
		if _, err := fmt.Fprintf(a.Stdout, "Every pair: %s\n", page); err != nil {
			return err
		}
	}
	return shown
}

func (a *app) gateFailure(ctx context.Context, o measure.Options, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		if _, err := os.Stat(filepath.Join(o.Out, measure.PlanFile)); err == nil {
			a.Complain(fmt.Errorf("%[1]s contains the measurements so far: --out %[1]s --resume "+
				"continues", o.Out))
		}
		return terminal.Interrupted
	}
	a.Complain(fmt.Errorf("gate: %w", err))
	if _, unfit := errors.AsType[*measure.UnfitError](err); unfit {
		a.Complain(errors.New("gate: --skip REGEXP skips benchmarks"))
	}
	return terminal.Unusable
}

func (f *gateFlags) measureOptions(now time.Time) (measure.Options, error) {
	o, judge := f.measure.Options, f.options
	o.Metrics, o.AllowEnvironment, o.Beside = judge.Metrics, judge.AllowEnvironment, f.junit.Path
	o.FailOnRemoved, o.Better, o.Allow = judge.FailOnRemoved, judge.Better, judge.Allow
	o.Judge.Margin, o.Judge.Promise = judge.Margin, judge.Promise
	o.Judge = o.Judge.WithAlpha(judge.Alpha)
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	o.Control = func(slower bool, benchTime string) []string {
		return []string{self, "control", fmt.Sprintf("--slower=%v", slower), benchTime}
	}
	o.Guard = []string{self, "guard"}
	switch {
	case o.Base == "":
		return o, errors.New("--base: want a revision")
	case o.Resume && o.Force:
		return o, errors.New("--resume and --force exclude each other")
	case (o.Resume || o.Force) && o.Out == "":
		return o, errors.New("--resume and --force need the directory, --out")
	case o.Out == "":
		o.Out = filepath.Join(flags.OutRoot, flags.FreeName(flags.OutRoot,
			"gate-"+now.Format("20060102-150405")))
	case !o.Resume && !o.Force:
		// a gate that was killed before it had results
		killed := func(e os.DirEntry) bool { return e.Name() == files.LockName }
		if entries, err := os.ReadDir(o.Out); err == nil &&
			len(slices.DeleteFunc(entries, killed)) > 0 {
			return o, fmt.Errorf("--out: %s exists already: --force replaces it, --resume "+
				"continues an interrupted gate", o.Out)
		}
	}
	if err := o.Validate(); err != nil {
		return o, fmt.Errorf("gate: %w", err)
	}
	return o, nil
}

// The work of one iteration takes about a tenth of a millisecond, so short runs have many
// iterations.
const controlBlocks = 2000

// controlCommand is the benchmark of known outcome that a gate measures with the others. It is part
// of this program, so it is available for any module. Its memory does not grow, and it starts no
// goroutine.
func (a *app) controlCommand() *cobra.Command {
	var slower bool
	cmd := flags.Hidden("control BENCHTIME [flags]",
		"a benchmark of known work, printed as go test does (for poolbench itself)",
		func(_ context.Context, args []string) error {
			b, err := measure.ParseBenchTime(args[0])
			if err != nil {
				return fmt.Errorf("control: %w", err)
			}
			blocks := controlBlocks
			if slower {
				blocks = int(controlBlocks * (1 + measure.ControlSlowdown))
			}
			iterations, took := work(b, blocks)
			_, err = fmt.Fprintf(a.Stdout, "%s\t%d\t%g ns/op\n", measure.ControlName, iterations,
				float64(took)/float64(iterations))
			return err
		}, "BENCHTIME")
	cmd.Flags().BoolVar(&slower, "slower", false, "do 15 % more")
	return cmd
}

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

// guardCommand is the process that cleans up after a killed gate.
func (a *app) guardCommand() *cobra.Command {
	return flags.Hidden("guard DIR [flags]",
		"clean up after a killed gate (for poolbench itself)",
		func(ctx context.Context, args []string) error {
			if err := measure.Guard(ctx, a.stdin, args[0]); err != nil {
				return fmt.Errorf("guard: %w", err)
			}
			return nil
		}, "DIR")
}

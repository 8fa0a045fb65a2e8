package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/gate"
)

// measureFlags are those of a gate that measures revisions by itself.
type measureFlags struct {
	base, head, dir string
	bench, skip     string
	packages        []string
	benchTime       benchTimeFlag
	layouts, pairs  int
	seed            uint64
	out             string
	resume, force   bool
	quiet           bool
	limit           time.Duration
}

// ofMeasuring are the flags that mean nothing without --base.
var ofMeasuring = []string{"head", "dir", "bench", "skip", "pkg", "benchtime", "layouts", "pairs",
	"seed", "out", "resume", "force", "run-limit", "quiet"}

func (o *measureFlags) addTo(cmd *cobra.Command) {
	d := measure.Defaults()
	o.benchTime.value = d.BenchTime
	fs := cmd.Flags()
	fs.StringVar(&o.base, "base", "",
		"measure against this `REV` of the module, instead of comparing results")
	fs.StringVar(&o.head, "head", "",
		"measure this `REV` (default the working tree with its uncommitted changes)")
	fs.StringVar(&o.dir, "dir", d.Dir, "`DIR` of the module, or below")
	fs.StringVar(&o.bench, "bench", d.Bench,
		"benchmarks that match this `REGEXP`, as go test takes it")
	fs.StringVar(&o.skip, "skip", "", "skip benchmarks that match this `REGEXP`")
	fs.StringSliceVar(&o.packages, "pkg", d.Packages,
		"`PACKAGES` of the benchmarks, as the go command takes them; several with commas")
	fs.Var(&o.benchTime, "benchtime", "`TIME` of a run, or its iterations as 100x")
	fs.IntVar(&o.layouts, "layouts", d.Layouts,
		"build each side `N` times, each with another function order")
	fs.IntVar(&o.pairs, "pairs", d.Judge.FreshPairs,
		"measure up to `N` fresh pairs of a benchmark that looks worse; more for noisy ones")
	fs.Uint64Var(&o.seed, "seed", d.Seed, "`SEED` of the orders, the layouts and the work")
	fs.StringVar(&o.out, "out", "", "write to this `DIR` (default "+outRoot+"/gate-DATE-TIME)")
	fs.BoolVar(&o.resume, "resume", false,
		"continue the interrupted gate in DIR")
	fs.BoolVar(&o.force, "force", false, "replace the results in DIR: measure anew")
	fs.DurationVar(&o.limit, runLimit, 0,
		"abort a process after this `TIME` (default 30s + 20 × its estimate)")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

// changed is the first of the flags that was given; "" for none.
func (o *measureFlags) changed(cmd *cobra.Command) string {
	for _, name := range ofMeasuring {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// gateRevisions measures, writes the directory, and shows what came out.
func (a *app) gateRevisions(ctx context.Context, f gateFlags) error {
	o, err := f.measureOptions(time.Now())
	if err != nil {
		return err
	}
	if err := f.beforehand(o.Out); err != nil {
		return err
	}
	watch := newGateWatch(a.stderr, f.measure.quiet)
	ctx, done := interruptible(ctx, watch.say)
	defer done()
	watch.say(fmt.Sprintf("results go to %s, seed %d", o.Out, o.Seed))
	report, err := measure.Gate(ctx, o, watch)
	watch.close()
	if err != nil {
		if elsewhere := f.without(nil, err); elsewhere != nil {
			a.complain(elsewhere)
		}
		return a.gateFailure(ctx, o, err)
	}
	if len(report.Pairs) == 0 { // it ended before it measured any benchmark
		return a.showGate(report, f)
	}
	page := filepath.Join(o.Out, rundir.ReportFile)
	drawing := writeTo(page, os.O_TRUNC, func(w io.Writer) error {
		return gate.WritePage(w, report)
	})
	if drawing != nil {
		a.complain(drawing)
	}
	shown := a.showGate(report, f)
	if code, ok := errors.AsType[exitCode](shown); shown != nil && !ok {
		return shown
	} else if drawing != nil {
		return exitCode(severest(unusable, int(code)))
	}
	if f.format == "text" {
		if _, err := fmt.Fprintf(a.stdout, "Every pair: %s\n", page); err != nil {
			return err
		}
	}
	return shown
}

// gateFailure is what becomes of a gate without a verdict.
func (a *app) gateFailure(ctx context.Context, o measure.Options, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		if kept, _ := filepath.Glob(filepath.Join(o.Out, "plan.json")); len(kept) > 0 {
			a.complain(fmt.Errorf("%s holds what was measured: --out %s --resume goes on", o.Out,
				o.Out))
		}
		return exitCode(interrupted)
	}
	a.complain(fmt.Errorf("gate: %w", err))
	if _, unfit := errors.AsType[*measure.UnfitError](err); unfit {
		a.complain(errors.New("gate: --skip REGEXP leaves benchmarks out"))
	}
	return exitCode(unusable)
}

// measureOptions makes options of the flags.
func (f *gateFlags) measureOptions(now time.Time) (measure.Options, error) {
	m := f.measure
	o := measure.Defaults()
	o.Dir, o.Base, o.Head = m.dir, m.base, m.head
	o.Bench, o.Skip, o.Packages = m.bench, m.skip, m.packages
	o.BenchTime, o.Layouts, o.Seed, o.Limit = m.benchTime.value, m.layouts, m.seed, m.limit
	o.Metrics, o.AllowEnvironment = f.options.Metrics, f.options.AllowEnvironment
	o.Judge.Margin, o.Judge.Promise, o.Judge.Alpha, o.Judge.FreshPairs = f.options.Margin,
		f.options.Promise, f.options.Alpha, m.pairs
	o.Out, o.Resume, o.Force, o.Beside = m.out, m.resume, m.force, f.junit
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	o.Control = func(slower bool, benchTime string) []string {
		return []string{self, "control", fmt.Sprintf("--slower=%v", slower), benchTime}
	}
	o.Guard = []string{self, "guard"}
	switch {
	case m.base == "":
		return o, errors.New("--base: want a revision")
	case m.resume && m.force:
		return o, errors.New("--resume and --force exclude each other")
	case (m.resume || m.force) && m.out == "":
		return o, errors.New("--resume and --force are about the directory of --out, which is " +
			"missing")
	case m.out == "":
		o.Out = filepath.Join(outRoot, freeName(outRoot, "gate-"+now.Format("20060102-150405")))
	case !m.resume && !m.force:
		// before it had anything to keep
		killed := func(e os.DirEntry) bool { return e.Name() == lock.FileName }
		if entries, err := os.ReadDir(m.out); err == nil &&
			len(slices.DeleteFunc(entries, killed)) > 0 {
			return o, fmt.Errorf("--out: %s exists already: --force measures anew, --resume goes "+
				"on with a gate that was ended early", m.out)
		}
	}
	if err := o.Validate(); err != nil {
		return o, fmt.Errorf("gate: %w", err)
	}
	return o, nil
}

// benchTimeFlag reads --benchtime.
type benchTimeFlag struct{ value measure.BenchTime }

func (f *benchTimeFlag) String() string { return f.value.String() }
func (f *benchTimeFlag) Type() string   { return "TIME" }

func (f *benchTimeFlag) Set(text string) (err error) {
	f.value, err = measure.ParseBenchTime(text)
	return err
}

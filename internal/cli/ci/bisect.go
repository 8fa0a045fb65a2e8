package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/gate/bisect"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/gate"
)

// withBisect lists flags that have no meaning with --bisect.
var withBisect = []string{"base", "head", "junit", "allow-partial", "fail-on"}

func checkBisect(cmd *cobra.Command, o *gateFlags, args []string) error {
	for _, name := range withBisect {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("gate: --bisect and --%s exclude each other", name)
		}
	}
	if o.format != "text" && o.format != "json" {
		return fmt.Errorf("--format: --bisect prints text or json, not %s", o.format)
	}
	if o.measure.Resume && o.measure.Force {
		return errors.New("--resume and --force exclude each other")
	}
	if len(args) > 2 {
		return fmt.Errorf("gate: --bisect accepts only GOOD and BAD, got %q: give packages with --pkg",
			text.DiscreetText(args[2]))
	}
	return flags.Operands("GOOD", "BAD")(cmd, args)
}

func (a *app) bisect(ctx context.Context, f gateFlags, args []string) (err error) {
	watch := &bisectProgress{progress: newProgress(a.Stderr, f.measure.quiet)}
	ctx, done := terminal.Interruptible(ctx, watch.progress.Println)
	defer done()
	closeLine := sync.OnceFunc(watch.Close)
	defer closeLine()
	history, err := measure.ReadHistory(ctx, f.measure.Dir, args[0], args[1])
	if err != nil {
		return fmt.Errorf("gate: --bisect: %w", err)
	}
	good, bad := history.Commits[0], history.Commits[len(history.Commits)-1]
	if f.measure.Out == "" {
		// The name is the same for the same revisions, so repeating the command resumes the search.
		f.measure.Out = filepath.Join(flags.OutRoot,
			fmt.Sprintf("bisect-%.7s-%.7s", good.Hash, bad.Hash))
	}
	f.measure.Base, f.measure.Head = good.Hash, bad.Hash
	force := f.measure.Force
	f.measure.Resume = f.measure.Resume || !force // --resume is the default
	o, err := f.measureOptions(time.Now())
	if err != nil {
		return err
	}
	journal, err := bisect.OpenJournal(o.Out, history, o, force)
	if err != nil {
		return fmt.Errorf("gate: --bisect: %w", err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	watch.progress.Println(fmt.Sprintf("%s, results go to %s, seed %d",
		text.Count(len(history.Commits)-1, "commit"), o.Out, o.Seed))
	if n := journal.Len(); n > 0 {
		watch.progress.Println(fmt.Sprintf("%s from an earlier call are used (--force measures again)",
			text.Count(n, "gate")))
	}
	search := &bisect.Search{Commits: history.Commits, Judge: o.Judge, Journal: journal,
		Say: watch.progress.Println,
		Gate: func(ctx context.Context, q bisect.Question) (*verdict.Report, error) {
			return a.bisectGate(ctx, o, journal, q, watch)
		}}
	report, err := search.Run(ctx)
	closeLine()
	if err != nil {
		return a.bisectFailure(ctx, o, err)
	}
	if f.format == "json" {
		err = bisect.WriteJSON(a.Stdout, report)
	} else {
		err = bisect.WriteText(a.Stdout, report, a.Columns())
	}
	return terminal.Ended(err, terminal.ExitCode(report.ExitCode()))
}

func (a *app) bisectGate(
	ctx context.Context, o measure.Options, journal *bisect.Journal, q bisect.Question,
	watch *bisectProgress,
) (*verdict.Report, error) {
	watch.at = fmt.Sprintf("%s against %s", q.Head.Short(), q.Base.Short())
	report, dir, err := journal.Measure(ctx, q, o, watch)
	if err != nil {
		return nil, err
	}
	if len(report.Pairs) > 0 {
		a.Complain(rundir.Replace(filepath.Join(dir, rundir.ReportFile), func(w io.Writer) error {
			return gate.WritePage(w, report)
		}))
	}
	return report, nil
}

func (a *app) bisectFailure(ctx context.Context, o measure.Options, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
		return a.gateFailure(ctx, o, err)
	}
	if _, err := os.Stat(filepath.Join(o.Out, bisect.JournalFile)); err == nil {
		same := "the same command continues"
		if o.Force {
			same = "the same command without --force continues"
		}
		a.Complain(fmt.Errorf("%s contains the gates so far: %s", o.Out, same))
	}
	return terminal.Interrupted
}

// Without a terminal, the one line that the search prints per gate suffices.
type bisectProgress struct {
	*progress
	at string // the measured commits
}

func (w *bisectProgress) Println(string) {}

func (w *bisectProgress) Doing(what string) {
	if what != "" {
		what = w.at + ": " + what
	}
	w.Progress.Doing(what)
}

func (w *bisectProgress) More(runs int, each time.Duration) {
	if w.Progress.Doing("") {
		w.progress.More(runs, each)
	}
}

func (w *bisectProgress) Ran(runs int, each time.Duration) {
	if w.Progress.Doing("") {
		w.progress.Ran(runs, each)
		w.SetStatus(w.at)
	}
}

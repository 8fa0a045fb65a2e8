package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/lock"
)

// outRoot is where run directories go that nobody named.
const outRoot = "poolbench-out"

// runOptions are the flags of run that are not axes.
type runOptions struct {
	file, out     string
	dsn           string
	soak          bool
	force, append bool
	resume        bool
	dryRun, quiet bool
	format        string
	limit         time.Duration
	workers       workersFlag
	live          liveFlag
	objectives    objectives.List
	expect        finding.Verdict // of the studies; "": any
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	var flags words
	cmd := &cobra.Command{
		Use:   "run [flags]",
		Short: "run scenarios, write results and a report",
		Args:  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runScenarios(cmd.Context(), flags, o)
		},
	}
	flags = addAxes(cmd)
	cmd.Flags().StringVar(&o.file, "file", "",
		"read scenarios from this YAML `FILE`: a list; keys are the names of the flags above")
	cmd.Flags().StringVar(&o.dsn, "dsn", "", "PostgreSQL `DATABASE` of sql_query:db=postgres: "+
		"postgres://user@host/name (default $POOLBENCH_DSN)")
	cmd.Flags().BoolVar(&o.soak, "soak", false, "keep no record of single tasks, so that a run "+
		"may go on for hours: quantiles within 0.1% (so it is beyond 10 million tasks)")
	addServers(cmd)
	o.addTo(cmd)
	return cmd
}

// addTo gives the command the flags about how its runs are run and where they are written.
func (o *runOptions) addTo(cmd *cobra.Command) {
	objectiveVar(cmd, &o.objectives, "exit code 1 unless each scenario meets it: "+
		"p99-response<50ms,shed<=1%; repeatable")
	o.addOutputTo(cmd)
	o.addResumeTo(cmd)
	o.workers.addTo(cmd)
	o.live.addTo(cmd)
}

// addResumeTo is for commands that can tell what they have measured already.
func (o *runOptions) addResumeTo(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.resume, "resume", false,
		"continue an interrupted run to DIR with the same "+
			"flags; measure only what is missing")
}

// addOutputTo is addTo without what is made of the results.
func (o *runOptions) addOutputTo(cmd *cobra.Command) {
	o.addDirTo(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false,
		"list the scenarios and the estimated time, run nothing")
	cmd.Flags().DurationVar(&o.limit, runLimit, 0,
		"abort a run that makes no progress for this `TIME` (default 30s)")
	o.addFormatTo(cmd)
}

// addDirTo is for whatever writes a run directory.
func (o *runOptions) addDirTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "write to this `DIR` (default "+outRoot+"/DATE-TIME, and "+
		outRoot+"/latest points to it)")
	fs.BoolVar(&o.force, "force", false, "replace the results in DIR")
	fs.BoolVar(&o.append, "append", false,
		"add repetitions to the results in DIR, with the next seeds")
}

func (o *runOptions) addFormatTo(cmd *cobra.Command) {
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false,
		"no progress and no warnings of suspect results")
}

// mode reads --force, --append and --resume.
func (o runOptions) mode() (bench.Mode, error) {
	mode, given := bench.New, 0
	for m, set := range map[bench.Mode]bool{bench.Force: o.force, bench.Append: o.append,
		bench.Resume: o.resume} {
		if set {
			mode = m
			given++
		}
	}
	switch {
	case given > 1:
		return 0, errors.New("--force, --append and --resume exclude each other")
	case given > 0 && o.out == "":
		return 0, errors.New("--force, --append and --resume are about the directory of --out, " +
			"which is missing")
	}
	return mode, nil
}

// createDir makes the run directory. Without --out it is named for the time, and numbered where
// several are of one second.
func (o runOptions) createDir(now time.Time) (*bench.Dir, error) {
	mode, err := o.mode()
	if err != nil {
		return nil, err
	}
	if o.out != "" {
		dir, err := bench.CreateDir(o.out, mode)
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("--out: %s exists already: --force replaces its results, "+
				"--append adds to them", o.out)
		case err != nil:
			return nil, fmt.Errorf("--out: %w", err)
		}
		return dir, nil
	}
	for name := now.Format("20060102-150405"); ; {
		dir, err := bench.CreateDir(filepath.Join(outRoot, freeName(outRoot, name)), bench.New)
		if held := (*lock.HeldError)(nil); !errors.Is(err, fs.ErrExist) && !errors.As(err, &held) {
			return dir, err // else somebody was quicker
		}
	}
}

// openDir makes the run directory and lets latest point to it.
func (a *app) openDir(o runOptions) (*bench.Dir, error) {
	dir, err := o.createDir(time.Now())
	if err != nil {
		return nil, err
	}
	if o.out == "" {
		if err := pointLatest(dir.Path()); err != nil { // a convenience: not every system has links
			a.complain(fmt.Errorf("latest is not up to date: %w", err))
		}
	}
	return dir, nil
}

// freeName numbers the runs that start in one second.
func freeName(root, name string) string {
	for n, free := 2, name; ; n++ {
		if _, err := os.Lstat(filepath.Join(root, free)); errors.Is(err, fs.ErrNotExist) {
			return free
		} else if err != nil {
			return name // and let the creation say what is wrong
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// unlock lets others write to the directory.
func (a *app) unlock(dir *bench.Dir) {
	if err := dir.Unlock(); err != nil {
		a.complain(err)
	}
}

// pointLatest makes outRoot/latest a link to the run. The link is made beside and renamed, so that
// there is never none.
func pointLatest(run string) error {
	name := filepath.Base(run)
	latest := filepath.Join(outRoot, "latest")
	beside := latest + "." + name
	if err := os.Symlink(name, beside); err != nil {
		return err
	}
	if err := os.Rename(beside, latest); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/studies"
)

const runHelp = `run measures scenarios: every combination of what the flags list, a run each, written to a directory as it comes in.

Without a flag that says what to run it takes the quick form of all studies, and prints a page of verdicts. A scenario file
says the same as the flags, under the same names; flags beside --file replace what the file says.

Names take parameters after a colon: hyperexp:mean=10ms,c2=16. Bare names may be listed with commas, or the flag given
again. 'poolbench list' has all names, 'poolbench list workloads hyperexp' explains one.

Durations are written 50ms, 1.5s; rates are tasks per second; a load of 1 is the capacity. In results, times are in
seconds, and response counts from the instant a task was due.

The directory holds results.txt (Go benchmark format: benchstat reads it), distributions.hlog (HdrHistogram log),
timeline.csv, report.html and charts.

An objective is a bound on a metric: p99-response<50ms, shed<=1%, goodput>=500, several with commas. Each scenario is held to
it by the median of its repetitions: missed is exit code 1; undecided, as a p99.9 of too few tasks, is 3. 'poolbench capacity'
looks for the highest load that meets an objective.

Exit code 2 also when a run has no result, because its strategy hung, panicked or failed; 3 when a result is INVALID; a study
decides without such runs, or says that it cannot.
Ctrl-C ends the runs and keeps what there is (130); a second one ends at once.`

const runExamples = `  poolbench run
  poolbench run --clock virtual --strategy worker_pool,semaphore --load 0.5,0.8,0.95
  poolbench run --clock virtual --strategy all --workload hyperexp:mean=10ms,c2=16 --limit 4,8 --count 3
  poolbench run --strategy semaphore --workload cpu_sha256:mean=1ms --rate 200 --duration 2s --deadline 20ms
  poolbench run --clock virtual --target token_bucket:rate=100,burst=20 --rate 90,110 --n 5000
  poolbench run --clock virtual --load 0.8 --count 10 --objective 'p99-response<100ms,shed<1%'
  poolbench run --file scenarios.yaml --out results/today --dry-run`

// outRoot is where run directories go that nobody named.
const outRoot = "poolbench-out"

// runOptions are the flags of run that are not axes.
type runOptions struct {
	file, out     string
	dsn           string
	force, append bool
	dryRun, quiet bool
	format        string
	limit         time.Duration
	objectives    objectives.List
	expect        studies.Verdict // of the studies; Undecided: any
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:                   "run [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "run scenarios, write results and a report",
		Long:                  runHelp,
		Example:               runExamples,
		Args:                  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runScenarios(cmd.Context(), axisWords(cmd), o)
		},
	}
	addAxes(cmd)
	cmd.Flags().StringVar(&o.file, "file", "", "read scenarios from this YAML `FILE`: a list; keys are the names of the flags above")
	cmd.Flags().StringVar(&o.dsn, "dsn", "", "PostgreSQL `DATABASE` of sql_query:db=postgres: postgres://user@host/name (default $POOLBENCH_DSN)")
	o.addTo(cmd)
	return cmd
}

// addAxes declares a flag for each axis but those.
func addAxes(cmd *cobra.Command, without ...string) {
	for _, x := range axes() {
		if slices.Contains(without, x.name) {
			continue
		}
		cmd.Flags().Var(&axisFlag{axis: x}, x.name, x.doc)
		if x.names != nil {
			completeFlag(cmd, x.name, x.names)
		}
	}
}

// axisWords are the values that the flags of axes were given.
func axisWords(cmd *cobra.Command) words {
	flags := words{}
	for _, x := range axes() {
		f := cmd.Flags().Lookup(x.name)
		if f == nil || !f.Changed {
			continue
		}
		if value, ok := f.Value.(*axisFlag); ok {
			for _, text := range value.texts {
				flags[x.name] = append(flags[x.name], word{text, "--" + x.name})
			}
		}
	}
	return flags
}

// addTo gives the command the flags about how its runs are run and where they are written.
func (o *runOptions) addTo(cmd *cobra.Command) {
	objectiveVar(cmd, &o.objectives, "exit code 1 unless each scenario meets it: p99-response<50ms,shed<=1%; may be given again")
	o.addOutputTo(cmd)
}

// addOutputTo is addTo without what is made of the results.
func (o *runOptions) addOutputTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "write to this `DIR` (default "+outRoot+"/DATE-TIME, and "+outRoot+"/latest points to it)")
	fs.BoolVar(&o.force, "force", false, "replace the results that DIR holds")
	fs.BoolVar(&o.append, "append", false, "add to the results that DIR holds")
	fs.BoolVar(&o.dryRun, "dry-run", false, "list the scenarios and the estimated time, run nothing")
	fs.DurationVar(&o.limit, "run-limit", 0, "give a run up after this `TIME` (default 30s and 20 times what it should take)")
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress, and no warnings of suspect results")
}

// axisFlag is the pflag.Value of an axis: it keeps the texts, which are read once all flags are known.
type axisFlag struct {
	axis
	texts []string
}

var _ pflag.Value = (*axisFlag)(nil)

func (f *axisFlag) String() string { return strings.Join(f.texts, " ") }
func (f *axisFlag) Type() string   { return f.value }

func (f *axisFlag) Set(text string) error {
	if !f.many {
		f.texts = nil // as elsewhere, the last one counts
	}
	f.texts = append(f.texts, text)
	return nil
}

// mode reads --force and --append.
func (o runOptions) mode() (bench.Mode, error) {
	switch {
	case o.force && o.append:
		return 0, errors.New("--force and --append exclude each other")
	case (o.force || o.append) && o.out == "":
		return 0, errors.New("--force and --append are about the directory of --out, which is missing")
	case o.force:
		return bench.Force, nil
	case o.append:
		return bench.Append, nil
	}
	return bench.New, nil
}

// createDir makes the run directory. Without --out it is named for the time.
func (o runOptions) createDir(now time.Time) (*bench.Dir, error) {
	mode, err := o.mode()
	if err != nil {
		return nil, err
	}
	if o.out != "" {
		if entries, err := os.ReadDir(o.out); mode == bench.New && err == nil && len(entries) > 0 {
			return nil, fmt.Errorf("--out: %s exists already: --force replaces its results, --append adds to them", o.out)
		}
		dir, err := bench.CreateDir(o.out, mode)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		return dir, nil
	}
	return bench.CreateDir(filepath.Join(outRoot, freeName(outRoot, now.Format("20060102-150405"))), mode)
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

// pointLatest makes outRoot/latest a link to the run. The link is made beside and renamed, so that there is never none.
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

package options

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/objectives"
)

// RunOptions contains the flags of run except axes.
type RunOptions struct {
	File, Out     string
	DSN           string
	Soak          bool
	force, append bool
	resume        bool
	DryRun, Quiet bool
	Why           bool // whether to explain the runs
	Format        string
	Patience      time.Duration
	Responses     int // number of tasks whose response times are recorded
	Crew          WorkersFlag
	Live          LiveFlag
	Objectives    objectives.List
	Budget        time.Duration // time for further seeds of runs whose objectives are undecided
	JUnit         flags.Output
	Expect        decide.ClaimVerdict // expected verdict of the studies; "" means any
}

func (o *RunOptions) AddTo(cmd *cobra.Command) {
	Objective(cmd, &o.Objectives, "exit code 1 unless each scenario meets this objective: "+
		"p99-response<50ms,shed<=1% (repeatable)")
	o.AddOutputTo(cmd)
	o.AddJUnitTo(cmd)
	o.AddResumeTo(cmd)
	o.Crew.AddTo(cmd)
	o.Live.AddTo(cmd)
}

func (o *RunOptions) AddJUnitTo(cmd *cobra.Command) {
	o.JUnit.AddTo(cmd, "junit", "write objectives, checks and verdicts as JUnit XML to this `FILE`")
}

func (o *RunOptions) AddResumeTo(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.resume, "resume", false,
		"continue an interrupted run to DIR with the same "+
			"flags; measure only the missing runs")
}

// AddOutputTo is AddTo without the flags for processing results.
func (o *RunOptions) AddOutputTo(cmd *cobra.Command) {
	o.AddDirTo(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false,
		"list the scenarios and the estimated time, run nothing")
	cmd.Flags().DurationVar(&o.Patience, flags.RunLimit, 0,
		"abort a run that makes no progress for this `TIME` (default 30s)")
	o.AddFormatTo(cmd)
}

func (o *RunOptions) AddDirTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVarP(&o.Out, flags.OutFlag, "o", "",
		"write to this `DIR` (default "+flags.OutRoot+"/DATE-TIME, and "+
			flags.OutRoot+"/latest points to it)")
	fs.BoolVar(&o.force, "force", false, "replace the results in DIR")
	fs.BoolVar(&o.append, "append", false,
		"add repetitions to the results in DIR, with the next seeds")
}

func (o *RunOptions) AddFormatTo(cmd *cobra.Command) {
	flags.Choice(cmd, &o.Format, "format", "output format", "text", "json")
	cmd.Flags().BoolVar(&o.Quiet, "quiet", false,
		"print no progress and no warnings about SUSPECT results")
}

func (o RunOptions) Mode() (directory.Mode, error) {
	mode, given := directory.New, 0
	for m, set := range map[directory.Mode]bool{directory.Force: o.force,
		directory.Append: o.append,
		directory.Resume: o.resume} {
		if set {
			mode = m
			given++
		}
	}
	switch {
	case given > 1:
		return 0, errors.New("--force, --append and --resume exclude each other")
	case given > 0 && o.Out == "":
		return 0, errors.New("--force, --append and --resume need the directory, --out")
	}
	return mode, nil
}

type LoadOptions struct {
	RunOptions // out, force, append, dryRun, quiet and format
	Count      int
	FirstSeed  uint64
}

func (o *LoadOptions) AddTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	o.Count = 1
	fs.Var(flags.AtLeastOne(&o.Count, MaxRuns), "count",
		"`N` repetitions; 6 give an interval, 10 a comparison (default 1)")
	fs.Uint64Var(&o.FirstSeed, "seed", 1, "seed `N` of the arrivals; repetition i uses seed+i")
	o.AddDirTo(cmd)
	o.AddJUnitTo(cmd)
	o.Live.AddTo(cmd)
	fs.BoolVar(&o.DryRun, "dry-run", false, "print the first requests to be sent, send nothing")
	o.AddFormatTo(cmd)
}

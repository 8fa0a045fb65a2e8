package ci

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/gate"
	"github.com/poolbench/poolbench/reports/results"
)

type gateFlags struct {
	options verdict.Options
	format  string
	junit   flags.Output
	measure measureFlags
}

func (a *app) gateCommand() *cobra.Command {
	o := gateFlags{options: gate.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "gate (OLD NEW | --base REV | --bisect GOOD BAD) [flags]",
		Short: "fail CI if results are worse",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.measure.bisect {
				return checkBisect(cmd, &o, args)
			}
			if cmd.Flags().Changed("base") {
				if len(args) > 0 {
					return fmt.Errorf("gate: --base and results to compare (%s) exclude each other",
						strings.Join(args, ", "))
				}
				if cmd.Flags().Changed("allow-partial") {
					return errors.New("gate: --allow-partial needs two results, and excludes " +
						"--base")
				}
				return nil
			}
			if name := o.measure.changed(); name != "" {
				return fmt.Errorf("gate: --%s applies to revisions that gate measures, so it needs "+
					"--base", name)
			}
			return flags.Operands("OLD", "NEW")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.measure.bisect {
				return a.bisect(cmd.Context(), o, args)
			}
			if cmd.Flags().Changed("base") {
				return a.gateRevisions(cmd.Context(), o)
			}
			r, err := gateResults(args, o.options)
			if err != nil {
				return errors.Join(err, o.writeNoVerdict(args, err))
			}
			return a.showGate(r, o)
		},
	}
	fs := cmd.Flags()
	flags.Metric(cmd, &o.options.Metrics, "give verdicts only on this `METRIC` (repeatable, "+
		"default all with a direction, except a few)", a.metrics)
	fs.Var(flags.Share(&o.options.Margin, true), "margin",
		"tolerance: ignore changes up to this `SHARE` (default 2%)")
	fs.Var(flags.Share(&o.options.Promise, false), "promise",
		"regression to exclude: a benchmark passes only if a regression of this `SHARE` or more "+
			"is excluded (default 10%)")
	fs.Var(flags.Share(&o.options.Alpha, false), "alpha",
		"probability `P` of any false alarm, over all metrics (default 0.05)")
	o.options.Better = map[string]verdict.Direction{}
	fs.Var(flags.Value{Kind: "UNIT=WORD", Take: func(text string) error {
		unit, word, _ := strings.Cut(text, "=")
		d, known := map[string]verdict.Direction{"lower": verdict.LowerIsBetter,
			"higher": verdict.HigherIsBetter}[word]
		if unit == "" || !known {
			return fmt.Errorf("want UNIT=lower or UNIT=higher, got %q", text)
		}
		_, tidied := benchunit.Tidy(1, unit)
		o.options.Better[tidied] = d
		return nil
	}}, "better", "direction of your own metric, if its name does not imply it (repeatable)")
	fs.Var(flags.Parsed(&o.options.Allow, "METRIC=AMOUNT",
		func(text string) ([]verdict.Allowance, error) {
			a, err := verdict.ParseAllowance(text)
			return append(o.options.Allow, a), err
		}), "allow", "accept an increase of allocs/op or B/op: allocs/op=1, B/op=5%, or for one "+
		"benchmark Parse:allocs/op=1 (repeatable)")
	fs.Var(flags.Parsed(&o.options.FailOnRemoved, "WHAT", func(text string) (bool, error) {
		if text != "removed" {
			return false, fmt.Errorf("unknown value %q (known: removed)", text)
		}
		return true, nil
	}), "fail-on", "removed: exit code 1 if a benchmark of the base is missing in the head")
	flags.Complete(cmd, "fail-on", func() []string { return []string{"removed"} })
	fs.BoolVar(&o.options.AllowPartial, "allow-partial", false,
		"accept interrupted results, and use their samples")
	fs.BoolVar(&o.options.AllowEnvironment, "allow-environment", false,
		"compare across machines and Go versions")
	flags.Choice(cmd, &o.format, "format", "output", "text", "markdown", "json", "junit")
	o.junit.AddTo(cmd, "junit", "also write JUnit XML to this `FILE`")
	o.measure.AddTo(cmd)
	flags.MarkCommon(cmd, "metric", "margin", "promise", "better", "allow", "fail-on", "format",
		"junit", "base", "head", "bisect", "bench", "pkg", "out", "resume")
	return cmd
}

func gateResults(args []string, o verdict.Options) (*verdict.Report, error) {
	old, err := results.ReadFile(args[0])
	if err != nil {
		return nil, err
	}
	new, err := results.ReadFile(args[1])
	if err != nil {
		return nil, err
	}
	r, err := gate.Judge(old, new, o)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return r, nil
}

// writeNoVerdict replaces the files of an earlier gate, which may show a pass.
func (o gateFlags) writeNoVerdict(args []string, why error) error {
	r := o.noVerdict(why.Error())
	if len(args) == 2 {
		r.Old, r.New = args[0], args[1]
	}
	return o.writeElsewhere(r)
}

// A file that cannot be written is reported before the measurement, and a killed gate does not
// leave the pass of an earlier one. A pipe is skipped, because it can receive only one report. The
// file may be in the directory of the results, which is then created.
func (o gateFlags) writePlaceholder(out string) error {
	var made error
	if o.junit.Path != "" && filepath.Clean(out) == filepath.Dir(o.junit.Path) {
		made = files.MakeDir(out)
	}
	if !files.Replaces(o.junit.Path) {
		o.junit.Path = ""
	}
	r := o.noVerdict("no verdict yet: gate is still running, or was killed")
	return errors.Join(made, o.writeFiles(r, func(io.Writer) error { return nil }))
}

func (o gateFlags) noVerdict(why string) *verdict.Report {
	return &verdict.Report{Old: o.measure.Base, New: cmp.Or(o.measure.Head, "the working tree"),
		Options: o.options, Faults: []string{why}}
}

func (o gateFlags) writeElsewhere(r *verdict.Report) error {
	return o.writeFiles(r, func(w io.Writer) error { return gate.WriteMarkdown(w, r) })
}

func (o gateFlags) writeFiles(r *verdict.Report, summary func(io.Writer) error) error {
	job := flags.Output{Path: os.Getenv("GITHUB_STEP_SUMMARY"), Flag: "$GITHUB_STEP_SUMMARY"}
	return errors.Join(o.junit.Write(func(w io.Writer) error { return gate.WriteJUnit(w, r) }),
		job.Add(summary))
}

func (a *app) showGate(r *verdict.Report, o gateFlags) error {
	write := map[string]func(io.Writer, *verdict.Report) error{
		"text": func(w io.Writer, r *verdict.Report) error {
			return gate.WriteText(w, r, a.Columns())
		}, "markdown": gate.WriteMarkdown, "json": gate.WriteJSON,
		"junit": gate.WriteJUnit,
	}[o.format]
	if err := write(a.Stdout, r); err != nil {
		return err
	}
	err := o.writeElsewhere(r)
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		err = errors.Join(err, gate.WriteAnnotations(a.Stderr, r))
	}
	if err != nil {
		a.Complain(err)
		return terminal.Unusable
	}
	code := terminal.ExitCode(r.ExitCode())
	if code == terminal.Unusable { // standard output may be a file that contains only the report
		why := fmt.Sprintf("gate: cannot decide: %s", strings.Join(text.Truncate(r.Faults, 2), "; "))
		if most := a.Columns(); most > 0 {
			why = text.Wrapped("", why, most-len(a.Program+": "))
		}
		a.Complain(errors.New(why))
	}
	return terminal.Ended(nil, code)
}

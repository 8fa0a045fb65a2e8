package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/reports"
)

const gateHelp = `gate decides whether NEW is worse than OLD, for CI. Each metric of each benchmark is one of

  worse         the change for the worse exceeds the margin, significantly        exit code 1
  inconclusive  the samples neither show a change nor rule out one that matters  exit code 3
  better        the change for the better exceeds the margin, significantly
  no worse      a change as large as the promise is ruled out

The risk of any false alarm among all metrics together is at most alpha; instructions/op, where gate counts it, has an alpha
of its own. Metrics without a known direction are listed and not gated; nor, unless asked for, are maxima, what is on the
measurement itself, and what follows from the plan of arrivals. A benchmark that one side lacks, or nothing left to gate, is
exit code 2; inconclusive is never a pass.

OLD and NEW are results: files, or run directories. Ten repetitions on each side are a beginning: run --count 10, old and
new on the same machine, best in turns.

With --base instead, gate measures by itself: two revisions of the Go module in the current directory, or in --dir, by its
own benchmarks. The head is the working tree with its uncommitted changes, or --head REV.

  - Both sides are checked out elsewhere and built --layouts times each, with the functions in other orders in the
    binary: unchanged code is some 1.5 % faster or slower in another build, and a single build would fail half of all gates.
    Fresh pairs have binaries of their own each.
  - A run takes --benchtime. It is four processes, base and head in turns, and its time that of the faster two, since what
    else the machine does comes and goes within a second; or one, where the benchmark reports what has no mean, such as a
    p99. Which side is first is random. Benchmarks that draw their work find the same seed in $POOLBENCH_SEED on both sides.
  - 6 pairs screen every benchmark. Those that look worse, or scatter too much to tell, get --pairs fresh ones, on which
    alone the verdict rests; half of them where it looks the same by then. The others are no worse by those 6: of
    regressions as large as the promise 1 in 4 may pass at worst; replayed noise hid up to 5 in 100. Where the fresh pairs
    leave it open, the reason says how many would do.
  - The same work twice, and 15 % more work, are measured along with the rest. When gate finds the one worse, or the other
    not, it has shown nothing: exit code 2.

old.txt and new.txt in the directory of results hold every run (for benchstat: -ignore pair,order,seed,layout), and
report.html draws every pair. Ctrl-C keeps what there is (130), and --resume goes on from it, also after a kill.

The report goes to the job summary as well where $GITHUB_STEP_SUMMARY names one.`

// gateFlags are the settings of both ways to gate, and those of each.
type gateFlags struct {
	options       reports.GateOptions
	format, junit string
	measure       measureFlags
}

func (a *app) gateCommand() *cobra.Command {
	o := gateFlags{options: reports.DefaultGateOptions()}
	cmd := &cobra.Command{
		Use:                   "gate (OLD NEW | --base REV) [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "decide better, worse or inconclusive, by exit code",
		Long:                  gateHelp,
		Example: `  poolbench gate poolbench-out/main poolbench-out/branch
  poolbench gate old.txt new.txt --metric p99-response-sec --margin 5% --promise 20%
  poolbench gate --base main
  poolbench gate --base HEAD~1 --head HEAD --bench 'Parse|Format' --pkg ./internal/... --junit gate.xml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("base") {
				if len(args) > 0 {
					return fmt.Errorf("gate: --base and results to compare (%s) exclude each other", strings.Join(args, ", "))
				}
				if cmd.Flags().Changed("allow-partial") {
					return errors.New("gate: --allow-partial is about results to compare; with --base there are none yet")
				}
				return nil
			}
			if name := o.measure.changed(cmd); name != "" {
				return fmt.Errorf("gate: --%s is about revisions that gate measures; it takes --base", name)
			}
			return operands("OLD", "NEW")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("base") {
				return a.gateRevisions(cmd.Context(), o)
			}
			r, err := gateResults(args, o.options)
			if err != nil {
				return errors.Join(err, o.without(args, err))
			}
			return a.showGate(r, o)
		},
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.options.Metrics, "gate only this `METRIC`, may be given again (default all with a direction, but for a few)")
	fs.Var(&fraction{value: &o.options.Margin, zero: true}, "margin", "changes up to this `SHARE` are held against nobody (default 2%)")
	fs.Var(&fraction{value: &o.options.Promise}, "promise", "no worse means that a change of this `SHARE` is ruled out (default 10%)")
	fs.Var(&fraction{value: &o.options.Alpha}, "alpha", "risk `P` of any false alarm, all metrics together (default 0.05)")
	fs.BoolVar(&o.options.AllowPartial, "allow-partial", false, "judge results that were interrupted by what they hold")
	fs.BoolVar(&o.options.AllowEnvironment, "allow-environment", false, "compare across machines and Go versions")
	choiceFlag(cmd, &o.format, "format", "output", "text", "markdown", "json", "junit")
	fs.StringVar(&o.junit, "junit", "", "write JUnit XML to this `FILE` as well")
	o.measure.addTo(cmd)
	return cmd
}

func gateResults(args []string, o reports.GateOptions) (*reports.GateReport, error) {
	old, new, err := readBoth(args)
	if err != nil {
		return nil, err
	}
	r, err := reports.Gate(old, new, o)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return r, nil
}

// without writes what a system reads that shows tests: a gate that came to no verdict must not leave the file of the one before it, which passed.
func (o gateFlags) without(args []string, why error) error {
	r := &reports.GateReport{Old: o.measure.base, New: cmp.Or(o.measure.head, "the working tree"), Options: o.options, Faults: []string{why.Error()}}
	if len(args) == 2 {
		r.Old, r.New = args[0], args[1]
	}
	return o.writeElsewhere(r)
}

// writeElsewhere writes the report into the files that are wanted beside standard output.
func (o gateFlags) writeElsewhere(r *reports.GateReport) error {
	var wrong []error
	if o.junit != "" {
		if err := writeTo(o.junit, os.O_TRUNC, func(w io.Writer) error { return reports.WriteGateJUnit(w, r) }); err != nil {
			wrong = append(wrong, fmt.Errorf("--junit: %w", err))
		}
	}
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := writeTo(path, os.O_APPEND, func(w io.Writer) error { return reports.WriteGateMarkdown(w, r) }); err != nil {
			wrong = append(wrong, fmt.Errorf("$GITHUB_STEP_SUMMARY: %w", err))
		}
	}
	return errors.Join(wrong...)
}

// showGate prints the report, writes it where else it is wanted, and returns its exit code.
func (a *app) showGate(r *reports.GateReport, o gateFlags) error {
	write := map[string]func(io.Writer, *reports.GateReport) error{
		"text": reports.WriteGateText, "markdown": reports.WriteGateMarkdown, "json": reports.WriteGateJSON, "junit": reports.WriteGateJUnit,
	}[o.format]
	if err := write(a.stdout, r); err != nil {
		return err
	}
	if err := o.writeElsewhere(r); err != nil {
		a.complain(err)
		return exitCode(unusable)
	}
	if code := r.ExitCode(); code != fine {
		return exitCode(code)
	}
	return nil
}

// writeTo writes a file, made where there is none, from its beginning or to its end.
func writeTo(path string, how int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// metricFlag declares --metric, with the units that a run reports as completion.
func metricFlag(cmd *cobra.Command, to *[]string, doc string) {
	cmd.Flags().StringArrayVar(to, "metric", nil, doc)
	completeFlag(cmd, "metric", metricNames)
}

func metricNames() (units []string) {
	for _, m := range bench.Metrics() {
		units = append(units, m.Unit)
	}
	return units
}

// A fraction is a flag for a share: 2% or 0.02.
type fraction struct {
	value *float64
	text  string
	zero  bool // 0 is allowed; elsewhere it stands for the default and must not pass
}

func (f *fraction) String() string { return f.text }
func (f *fraction) Type() string   { return "SHARE" }

func (f *fraction) Set(text string) error {
	v, err := param.Percent(text)
	if err != nil {
		return err
	}
	if v == 0 && !f.zero {
		return fmt.Errorf("want a share above 0, got %q", text)
	}
	*f.value, f.text = v, text
	return nil
}

package main

import (
	"fmt"

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

The risk of any false alarm among all metrics together is at most alpha. Metrics without a known direction are listed and
not gated. A benchmark that one side lacks, or nothing left to gate, is exit code 2; inconclusive is never a pass.

Ten repetitions on each side are a beginning: run --count 10, old and new on the same machine, best in turns.`

func (a *app) gateCommand() *cobra.Command {
	o := reports.DefaultGateOptions()
	var format string
	cmd := &cobra.Command{
		Use:                   "gate OLD NEW [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "decide better, worse or inconclusive, by exit code",
		Long:                  gateHelp,
		Example: `  poolbench gate poolbench-out/main poolbench-out/branch
  poolbench gate old.txt new.txt --metric p99-response-sec --margin 5% --promise 20%`,
		Args: operands("OLD", "NEW"),
		RunE: func(_ *cobra.Command, args []string) error {
			old, new, err := readBoth(args)
			if err != nil {
				return err
			}
			r, err := reports.Gate(old, new, o)
			if err != nil {
				return fmt.Errorf("gate: %w", err)
			}
			write := reports.WriteGateText
			switch format {
			case "markdown":
				write = reports.WriteGateMarkdown
			case "json":
				write = reports.WriteGateJSON
			}
			if err := write(a.stdout, r); err != nil {
				return err
			}
			if code := r.ExitCode(); code != fine {
				return exitCode(code)
			}
			return nil
		},
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.Metrics, "gate only this `METRIC`, may be given again (default all with a direction)")
	fs.Var(&fraction{value: &o.Margin, zero: true}, "margin", "changes up to this `SHARE` are held against nobody (default 2%)")
	fs.Var(&fraction{value: &o.Promise}, "promise", "no worse means that a change of this `SHARE` is ruled out (default 10%)")
	fs.Var(&fraction{value: &o.Alpha}, "alpha", "risk `P` of any false alarm, all metrics together (default 0.05)")
	fs.BoolVar(&o.AllowPartial, "allow-partial", false, "judge results that were interrupted by what they hold")
	fs.BoolVar(&o.AllowEnvironment, "allow-environment", false, "compare across machines and Go versions")
	choiceFlag(cmd, &format, "format", "output", "text", "markdown", "json")
	return cmd
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

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
)

func (a *app) runCommand() *cobra.Command {
	var o options.RunOptions
	var axes options.Words
	var given *[]registry.Server
	cmd := &cobra.Command{
		Use:   "run [flags]",
		Short: "run scenarios, write results and a report",
		Args:  flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runScenarios(cmd.Context(), axes, o, *given)
		},
	}
	axes = options.AddAxes(cmd)
	cmd.Flags().StringVar(&o.File, "file", "",
		"read scenarios from this YAML `FILE`: a list; keys are the names of the flags above")
	cmd.Flags().StringVar(&o.DSN, "dsn", "", "PostgreSQL `DATABASE` of sql_query:db=postgres: "+
		"postgres://user@host/name (default $POOLBENCH_DSN)")
	cmd.Flags().BoolVar(&o.Soak, "soak", false, "keep no records of single tasks, so a run can "+
		"last for hours: quantiles within 0.1% (always for more than 10 million tasks)")
	cmd.Flags().IntVar(&o.Responses, "responses", rundir.MaxResponses,
		"record the response time of each task and its parts, for up to this many `TASKS` (not "+
			"in studies), so that compare can explain differences")
	given = options.Servers(cmd)
	cmd.Flags().BoolVar(&o.Why, "why", false,
		"explain the causes of each p99, as poolbench why does")
	cmd.Flags().DurationVar(&o.Budget, "budget", 30*time.Second, "without --n, --count and "+
		"--duration, virtual runs are repeated with further seeds until each --objective is "+
		"decided, for at most this `TIME`")
	o.AddTo(cmd)
	flags.MarkCommon(cmd, "strategy", "workload", "target", "arrival", "limit", "queue", "load",
		"rate", "n", "duration", "count", "clock", "file", "objective", "out", "why")
	return cmd
}

func (a *app) runScenarios(ctx context.Context, axes options.Words, o options.RunOptions,
	given []registry.Server,
) error {
	if _, err := o.Mode(); err != nil {
		return err
	}
	p, err := options.MakePlan(axes, o.File)
	if err != nil {
		return err
	}
	if err := p.CheckServers(given); err != nil {
		return err
	}
	if err := p.UseDatabase(o.DSN); err != nil {
		return err
	}
	if err := p.Soak(o.Soak); err != nil {
		return err
	}
	_, out := studies.Default()
	late := slices.DeleteFunc(out, func(s studies.Study) bool { return s.Apart })
	if len(late) > 0 && len(p) > 0 && p[0].Study != nil && !o.Quiet {
		a.Warn([]string{fmt.Sprintf("not included, because a default run is too short: %s (use "+
			"poolbench study NAME)", strings.Join(text.Texts(late, func(s studies.Study) string {
			return s.Name
		}), ", "))})
	}
	return a.runPlan(ctx, p, o)
}

func (a *app) runPlan(ctx context.Context, p options.Plan, o options.RunOptions) error {
	for _, s := range p.Suites() {
		if err := objectives.Decidable(o.Objectives, s.Scenarios...); err != nil {
			return err
		}
	}
	p.SetFlightBound(o.Objectives)
	if o.DryRun {
		return show.ShowPlan(a.Printer, p, o.Format)
	}
	e, err := execute.BeginSuite(a.Host, o, "run", p.Headline())
	if err != nil {
		return err
	}
	defer e.Close()
	if len(p) > 0 && p[0].Study == nil {
		e.Dir.KeepResponses(o.Responses)
	}
	p.Continue(e.Dir)
	if err := e.Dir.BeginSuites(p.Suites(), p.Open()); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := e.Hold(o.Objectives); err != nil {
		return err
	}
	e.Expect, e.Budget = o.Expect, o.Budget
	e.Follow(p, o.Quiet)
	ctx, done := terminal.Interruptible(ctx, e.Show.Println)
	defer done()
	writing := e.Run(e.View.Begin(ctx, e.Show.Plan, e.Show.SetStatus))
	e.Show.Close()
	e.Finish(writing)
	shown := show.Show(e, o.Format)
	if o.Why && o.Format != "json" {
		shown = errors.Join(shown, show.Explain(e))
	}
	if !o.Quiet {
		e.Warn(append(options.OwnRates(e.Plan), show.Suspects(e.Records)...))
	}
	told := execute.PublishSuite(execute.TestSuite("run", e), o.JUnit, a.Printer)
	return terminal.Ended(shown, append(e.Codes(), told)...)
}

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/gateway"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/workloads"
)

// One of these default strategies sheds, the other does not.
const gatewayStrategies = "bounded_queue_shed,worker_pool"

type gatewayOptions struct {
	options.LoadOptions
	gateway.Scenario
	strategies        []string
	workload, arrival string
	servers           *[]registry.Server
}

func (a *app) gatewayCommand() *cobra.Command {
	var o gatewayOptions
	load := &o.Scenario.Load
	cmd := &cobra.Command{
		Use:   "gateway [flags]",
		Short: "measure a server with a concurrency limit, as its clients see it",
		Args:  flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runGateway(cmd, o)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil,
		"strategies, by `NAME`, several with commas; all selects every strategy (default "+
			gatewayStrategies+")")
	flags.Complete(cmd, "strategy", options.StrategiesOrAll)
	o.servers = options.Servers(cmd)
	fs.StringVar(&o.workload, "workload", "constant:mean=10ms",
		"`NAME` of the workload that a request runs")
	flags.Complete(cmd, "workload", options.WorkloadNames)
	o.Limit = gateway.DefaultLimit
	fs.Var(flags.AtLeastOne(&o.Limit, arrivals.MaxTasks), "limit",
		fmt.Sprintf("largest number of requests in service, `K` (default %d)", gateway.DefaultLimit))
	fs.Var(flags.Parsed(&o.Queue, "N", options.ParseQueue), "queue", options.QueueDoc)
	options.AddArrivals(cmd, load, flags.Parsed(&load.Rate, "X", options.ParseRate), &o.arrival,
		"poisson")
	fs.Var(flags.Parsed(&load.MaxInFlight, "N", options.ParseMaxInFlight), "max-in-flight",
		"largest number of requests in flight (default unlimited)")
	fs.DurationVar(&load.Timeout, "timeout", attack.DefaultTimeout,
		"`TIME` from sending a request to the end of its answer")
	options.AddHTTP2(cmd, load, &load.H2C, "use HTTP/2 without TLS")
	options.Objective(cmd, &o.Objectives, "exit code 1 unless the requests to each strategy meet "+
		"this objective: p99-response<50ms; several with commas, or repeated")
	o.LoadOptions.AddTo(cmd)
	options.Profile(cmd, &load.Profile)
	flags.MarkCommon(cmd, "strategy", "workload", "limit", "queue", "rate", "arrival", "duration",
		"n", "objective", "count", "out")
	return cmd
}

func (a *app) runGateway(cmd *cobra.Command, o gatewayOptions) error {
	if _, err := o.Mode(); err != nil {
		return err
	}
	options.UntilDone(cmd, &o.Load)
	var err error
	if o.Load.Arrival, err = arrivals.Parse(o.arrival); err != nil {
		return fmt.Errorf("--arrival: %w", err)
	}
	var built workloads.Workload
	if o.Workload, built, err = buildWorkload(o.workload, o.FirstSeed); err != nil {
		return err
	}
	if err := closeWorkload(built); err != nil {
		return err
	}
	if o.strategies == nil {
		o.strategies = []string{gatewayStrategies}
	}
	chosen, err := options.ChooseStrategies(o.strategies)
	if err != nil {
		return err
	}
	if err := options.CheckServers(*o.servers, chosen...); err != nil {
		return err
	}
	var all []show.Load
	var wrong []error
	for _, s := range chosen {
		k := o.Scenario
		k.Strategy = s
		if !s.Spec.UsesQueue && len(chosen) > 1 {
			k.Queue = 0
		}
		wrong = append(wrong, k.Validate())
		all = append(all, newGatewayLoad(k))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	if err := objectives.Decidable(o.Objectives, o.Load); err != nil {
		return err
	}
	return show.RunLoads(cmd.Context(), a.Host, "gateway", "gateway", all, o.LoadOptions)
}

func newGatewayLoad(k gateway.Scenario) show.Load {
	l := show.NewLoad(k.Load)
	l.Row, l.Name = k.Strategy.String(), k.Name()
	l.Run = func(ctx context.Context, t show.LoadTurn) (*attack.Report, error) {
		k.Load.Seed, k.Load.Watch = t.Seed, t.Watch
		return gateway.Run(ctx, k)
	}
	return l
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/gateway"
)

// gatewayStrategies are those of a gateway that names none: one that sheds, and one that does not.
const gatewayStrategies = "bounded_queue_shed,worker_pool"

// gatewayOptions are the flags of gateway.
type gatewayOptions struct {
	loadOptions
	gateway.Scenario
	strategies        []string
	workload, arrival string
}

func (a *app) gatewayCommand() *cobra.Command {
	var o gatewayOptions
	load := &o.Scenario.Load
	cmd := &cobra.Command{
		Use:                   "gateway [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "a server bounded by strategies, from its clients' side",
		Args:                  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runGateway(cmd, o)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil,
		"`NAME` of the strategy, or several with commas; all for every one (default "+
			gatewayStrategies+")")
	completeFlag(cmd, "strategy", allAnd(strategyNames()))
	fs.StringVar(&o.workload, "workload", "constant:mean=10ms",
		"`NAME` of the workload that a request runs")
	completeFlag(cmd, "workload", workloadNames)
	o.Limit = gateway.DefaultLimit
	fs.Var(atLeastOne{&o.Limit, arrivals.MaxTasks}, "limit",
		fmt.Sprintf("most requests in service, `K` (default %d)", gateway.DefaultLimit))
	fs.Var((*queueSlots)(&o.Queue), "queue", queueDoc)
	fs.Var(positiveRate{&load.Rate}, "rate", "requests per second (default "+
		strconv.Itoa(attack.DefaultRate)+")")
	fs.StringVar(&o.arrival, "arrival", "poisson",
		"`NAME` of the open arrival process that says when requests are due")
	completeFlag(cmd, "arrival", arrivalNames)
	fs.DurationVar(&load.Duration, "duration", 10*time.Second, "send for this `TIME`")
	fs.Var(atLeastOne{&load.Tasks, arrivals.MaxTasks}, "n",
		"send this number of `REQUESTS` instead")
	fs.DurationVar(&load.Drain, "drain", attack.DefaultDrain, drainDoc)
	fs.Var(workers{&load.Workers}, "workers", "most requests in flight (default unlimited)")
	fs.DurationVar(&load.Timeout, "timeout", attack.DefaultTimeout,
		"`TIME` from sending a request to the end of its answer")
	o.loadOptions.addTo(cmd)
	return cmd
}

// runGateway reads the flags and runs the servers.
func (a *app) runGateway(cmd *cobra.Command, o gatewayOptions) error {
	if _, err := o.dir.mode(); err != nil {
		return err
	}
	if cmd.Flags().Changed("n") && !cmd.Flags().Changed("duration") {
		o.Load.Duration = 0
	}
	if o.Load.Workers == 0 {
		o.Load.Workers = attack.Unlimited
	}
	var err error
	if o.Load.Arrival, err = parseArrival(o.arrival); err != nil {
		return fmt.Errorf("--arrival: %w", err)
	}
	if o.Workload, err = parseWorkload(o.workload); err != nil {
		return fmt.Errorf("--workload: %w", err)
	}
	built, err := buildWorkload(o.workload, o.seed)
	if err != nil {
		return err
	}
	if err := closeWorkload(built); err != nil {
		return err
	}
	if o.strategies == nil {
		o.strategies = []string{gatewayStrategies}
	}
	chosen, err := chooseStrategies(o.strategies)
	if err != nil {
		return err
	}
	var loads []load
	var wrong []error
	for _, s := range chosen {
		k := o.Scenario
		k.Strategy = s
		if !s.Spec.UsesQueue && len(chosen) > 1 {
			k.Queue = 0
		}
		wrong = append(wrong, k.Validate())
		loads = append(loads, newGatewayLoad(k))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	return a.runLoads(cmd.Context(), "gateway", gatewayHeading(o.Scenario), loads, o.loadOptions)
}

func newGatewayLoad(k gateway.Scenario) load {
	l := newLoad(k.Load)
	l.row, l.name = k.Strategy.String(), k.Name()
	l.run = func(ctx context.Context, seed uint64, watch func(attack.Progress)) (*attack.Report,
		error) {
		k.Load.Seed, k.Load.Watch = seed, watch
		return gateway.Run(ctx, k)
	}
	return l
}

// gatewayHeading says what the rows of the table have in common.
func gatewayHeading(k gateway.Scenario) string {
	parts := []string{"gateway, workload " + k.Workload.String(),
		"arrival " + k.Load.Arrival.String()}
	if rate := k.Load.Rate; rate > 0 {
		parts = append(parts, fmt.Sprintf("rate %v /s", rate))
	}
	parts = append(parts, fmt.Sprintf("limit %d", k.Limit))
	if k.Load.Tasks > 0 {
		return strings.Join(append(parts, fmt.Sprintf("%d requests", k.Load.Tasks)), ", ")
	}
	return strings.Join(append(parts, fmt.Sprintf("duration %v", k.Load.Duration)), ", ")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/gateway"
)

const gatewayHelp = `gateway measures a bounded server as its clients see it: an HTTP server in this process, whose handler runs a workload
through a strategy, attacked over loopback as 'poolbench attack' does, one strategy after another.

What a strategy sheds is answered with 503 and Retry-After, and counts as shed. Response counts from the instant a request
was due, so connections, the server's own queues and the strategy's are all in it.

The load is open, and every request has a client of its own unless --workers bounds them.`

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
		Long:                  gatewayHelp,
		Example: `  poolbench gateway --strategy bounded_queue_shed,semaphore --limit 4 --workload exponential:mean=10ms --rate 600
  poolbench gateway --strategy all --workload constant:mean=5ms --rate 500 --duration 5s --count 6`,
		Args: operands(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runGateway(cmd, o) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil, "`NAME` of what bounds the work, or a list; all for every one (default "+gatewayStrategies+")")
	completeFlag(cmd, "strategy", allAnd(strategyNames()))
	fs.StringVar(&o.workload, "workload", "constant:mean=10ms", "what a request costs: the `NAME` of a workload")
	completeFlag(cmd, "workload", workloadNames)
	fs.IntVar(&o.Limit, "limit", gateway.DefaultLimit, "most requests at work, `K`")
	fs.IntVar(&o.Queue, "queue", 0, "places `N` of the queue, for strategies that have one")
	fs.Var(positiveRate{&load.Rate}, "rate", "requests per second (default "+strconv.Itoa(attack.DefaultRate)+")")
	fs.StringVar(&o.arrival, "arrival", "poisson", "when requests are due: the `NAME` of an open arrival process")
	completeFlag(cmd, "arrival", arrivalNames)
	fs.DurationVar(&load.Duration, "duration", 10*time.Second, "send for this `TIME`")
	fs.IntVar(&load.Tasks, "n", 0, "send so many `REQUESTS` instead")
	fs.Var(workers{&load.Workers}, "workers", "requests in flight at most (default unlimited)")
	fs.DurationVar(&load.Timeout, "timeout", attack.DefaultTimeout, "`TIME` for a request, from sending to the end of its answer")
	o.loadOptions.addTo(cmd)
	return cmd
}

// runGateway reads the flags and runs the servers.
func (a *app) runGateway(cmd *cobra.Command, o gatewayOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := noZeros(cmd.Flags(), "n", "duration", "limit", "timeout"); err != nil {
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
	l.run = func(ctx context.Context, seed uint64, watch func(attack.Progress)) (*attack.Report, error) {
		k.Load.Seed, k.Load.Watch = seed, watch
		return gateway.Run(ctx, k)
	}
	return l
}

// gatewayHeading says what the rows of the table have in common.
func gatewayHeading(k gateway.Scenario) string {
	parts := []string{"gateway, workload " + k.Workload.String(), "arrival " + k.Load.Arrival.String()}
	if rate := k.Load.Rate; rate > 0 {
		parts = append(parts, fmt.Sprintf("rate %v /s", rate))
	}
	parts = append(parts, fmt.Sprintf("limit %d", k.Limit))
	if k.Load.Tasks > 0 {
		return strings.Join(append(parts, fmt.Sprintf("%d requests", k.Load.Tasks)), ", ")
	}
	return strings.Join(append(parts, fmt.Sprintf("duration %v", k.Load.Duration)), ", ")
}

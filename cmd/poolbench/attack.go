package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
)

const attackHelp = `attack sends HTTP requests to a server, each when it is due, and measures response from that instant.

The load is open: requests are sent whether or not the ones before have been answered, by vegeta's Attacker with a fixed
number of workers. A request that finds every worker busy is late, and its response says so, where vegeta's own numbers do
not. With --clients N it is closed: N connections, each with its next request when it has its answer, as wrk does.

With --strategy, the requests go through strategies of bounding concurrency, one after another, to see what each makes of
the same server. A refusal (429, 503, 403) asks the strategy for another attempt, not before Retry-After has passed; one
whose Retry-After is longer than --timeout is final.

Statuses below 400 are completed, refusals throttled, all else failed. The directory holds what that of 'poolbench run'
does. --vegeta also writes each result in vegeta's encoding, for 'vegeta report' and 'vegeta plot', counted from due.

Exit code 2 also when not one request was completed. Ctrl-C ends the attack and keeps what there is (130).`

// attackOptions are the flags of attack.
type attackOptions struct {
	loadOptions
	attack.Attack
	arrival, method, body, targets, format, vegeta string
	strategies, headers                            []string
}

func (a *app) attackCommand() *cobra.Command {
	var o attackOptions
	cmd := &cobra.Command{
		Use:                   "attack URL [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "open-loop HTTP load by vegeta, through a strategy or not",
		Long:                  attackHelp,
		Example: `  poolbench attack http://127.0.0.1:8080/ --rate 200 --duration 10s
  poolbench attack http://127.0.0.1:8080/ --rate 500 --arrival poisson --strategy semaphore,adaptive_aimd --limit 8
  poolbench attack http://127.0.0.1:8080/ --clients 16 --duration 10s
  poolbench attack http://127.0.0.1:8080/ --rate 100 --arrival sine:amp=0.9,period=20s --duration 1m --vegeta results.bin`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("targets") {
				return nil
			}
			return operands("URL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runAttack(cmd, args, o) },
	}
	fs := cmd.Flags()
	fs.Var(positiveRate{&o.Rate}, "rate", "requests per second (default "+strconv.Itoa(attack.DefaultRate)+")")
	fs.StringVar(&o.arrival, "arrival", "constant", "when requests are due: the `NAME` of an open arrival process")
	completeFlag(cmd, "arrival", arrivalNames)
	fs.DurationVar(&o.Duration, "duration", 10*time.Second, "send for this `TIME`")
	fs.IntVar(&o.Tasks, "n", 0, "send so many `REQUESTS` instead")
	fs.IntVar(&o.Clients, "clients", 0, "closed loop of `N` clients instead")
	fs.StringArrayVar(&o.strategies, "strategy", nil, "`NAME` of what stands before the client; a list, or given again, for one after another")
	completeFlag(cmd, "strategy", allAnd(strategyNames()))
	fs.IntVar(&o.Limit, "limit", 0, "most requests in flight, `K`, for the strategy (default 4)")
	fs.IntVar(&o.Queue, "queue", 0, "places `N` of the strategy's queue, where it has one")
	fs.StringVar(&o.method, "method", http.MethodGet, "HTTP `METHOD`")
	fs.StringArrayVar(&o.headers, "header", nil, "`'NAME: VALUE'` to send, may be given again")
	fs.StringVar(&o.body, "body", "", "send the content of this `FILE`")
	fs.StringVar(&o.targets, "targets", "", "requests from this `FILE` in turn, in vegeta's format, instead of URL; - for standard input")
	choiceFlag(cmd, &o.format, "targets-format", "format of the targets", attack.Formats...)
	fs.DurationVar(&o.Timeout, "timeout", attack.DefaultTimeout, "`TIME` for a request, from sending to the end of its answer")
	fs.Var(workers{&o.Workers}, "workers", fmt.Sprintf("requests in flight at most in the open loop, or unlimited (default %d)", attack.DefaultWorkers))
	fs.IntVar(&o.Connections, "connections", 0, "most connections `N` to a host (default: as many as it takes)")
	fs.IntVar(&o.Redirects, "redirects", 10, "follow so many, `N`; 0: a redirect is the answer")
	fs.BoolVar(&o.Insecure, "insecure", false, "do not check certificates")
	fs.StringVar(&o.Label, "name", "", "`NAME` of what is attacked, in results (default its host and path)")
	fs.StringVar(&o.vegeta, "vegeta", "", "write the results in vegeta's encoding, too, to this new `FILE`")
	o.loadOptions.addTo(cmd)
	return cmd
}

// runAttack reads the flags and attacks.
func (a *app) runAttack(cmd *cobra.Command, args []string, o attackOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if cmd.Flags().Changed("n") && !cmd.Flags().Changed("duration") {
		o.Duration = 0
	}
	if err := noZeros(cmd.Flags(), "n", "duration", "clients", "limit", "timeout", "connections"); err != nil {
		return err
	}
	if err := o.read(a.stdin, cmd, args); err != nil {
		return err
	}
	attacks, err := o.attacks()
	if err != nil {
		return err
	}
	if o.vegeta != "" && !o.dryRun {
		if len(attacks)*o.count > 1 {
			return errors.New("--vegeta: a file holds one attack: one strategy, and no --count")
		}
		f, err := os.OpenFile(o.vegeta, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return fmt.Errorf("--vegeta: %w", err)
		}
		file := newBuffered(f)
		attacks[0].Vegeta = file
		defer func() {
			if e := file.Close(); e != nil && !errors.Is(err, exitCode(interrupted)) {
				a.complain(fmt.Errorf("--vegeta: %w", e))
				err = exitCode(unusable)
			}
		}()
	}
	// net/http writes what a hostile server does to the standard logger, and knows no other for a client.
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	var loads []load
	for _, k := range attacks {
		loads = append(loads, newLoad(k))
	}
	return a.runLoads(cmd.Context(), "attack", attackHeading(attacks[0]), loads, o.loadOptions)
}

// newLoad makes a load of an attack.
func newLoad(k attack.Attack) load {
	l := load{row: "–", name: k.Name(), estimate: k.Duration}
	if k.Strategy.Spec.Name != "" {
		l.row = k.Strategy.String()
	}
	if k.Clients == 0 && k.Tasks > 0 && k.Rate > 0 {
		l.estimate = time.Duration(float64(k.Tasks) / k.Rate * float64(time.Second))
	}
	l.run = func(ctx context.Context, seed uint64, watch func(attack.Progress)) (*attack.Report, error) {
		k.Seed, k.Watch = seed, watch
		return attack.Run(ctx, k)
	}
	return l
}

// read fills the attack in from the flags that are more than a number.
func (o *attackOptions) read(stdin io.Reader, cmd *cobra.Command, args []string) (err error) {
	if cmd.Flags().Changed("arrival") || o.Clients == 0 {
		if o.Arrival, err = parseArrival(o.arrival); err != nil {
			return fmt.Errorf("--arrival: %w", err)
		}
	}
	with := attack.Request{Method: o.method, Header: http.Header{}}
	for _, h := range o.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("--header: want NAME: VALUE, got %q", h)
		}
		with.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if o.body != "" {
		if with.Body, err = os.ReadFile(o.body); err != nil {
			return fmt.Errorf("--body: %w", err)
		}
	}
	switch {
	case o.targets == "":
		with.URL = args[0]
		o.Requests = []attack.Request{with}
		return nil
	case len(args) > 0:
		return fmt.Errorf("--targets: takes the place of URL, and %q is given", args[0])
	}
	var text []byte
	if o.targets == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(o.targets)
	}
	if err == nil {
		o.Requests, err = attack.ReadRequests(text, o.format, with)
	}
	if err != nil {
		return fmt.Errorf("--targets: %w", err)
	}
	return nil
}

func parseArrival(text string) (arrivals.Variant, error) {
	c, err := param.Parse(text)
	if err != nil {
		return arrivals.Variant{}, err
	}
	return arrivals.ParseVariant(c)
}

// attacks has one for each strategy, or the one without.
func (o *attackOptions) attacks() ([]attack.Attack, error) {
	chosen, err := chooseStrategies(o.strategies)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		chosen = []strategies.Variant{{}}
	}
	var all []attack.Attack
	var wrong []error
	for _, s := range chosen {
		k := o.Attack
		k.Strategy = s
		if k.Limit == 0 && s.Spec.Name != "" {
			k.Limit = attack.DefaultLimit
		}
		wrong = append(wrong, k.Validate())
		all = append(all, k)
	}
	return all, errors.Join(wrong...)
}

func chooseStrategies(texts []string) ([]strategies.Variant, error) {
	var m matrix
	for _, text := range texts {
		if err := setStrategy(&m, text); err != nil {
			return nil, errors.Join(prefixed("--strategy", err)...)
		}
	}
	return m.Strategies, nil
}

// attackHeading says what the rows of the table have in common.
func attackHeading(k attack.Attack) string {
	parts := []string{k.Requests[0].Method + " " + k.Requests[0].URL}
	if n := len(k.Requests); n > 1 {
		parts[0] += fmt.Sprintf(" and %d more", n-1)
	}
	if k.Clients > 0 {
		parts = append(parts, fmt.Sprintf("closed loop, %d clients", k.Clients))
	} else {
		parts = append(parts, "arrival "+k.Arrival.String())
		if k.Rate > 0 {
			parts = append(parts, fmt.Sprintf("rate %v /s", k.Rate))
		}
	}
	if k.Strategy.Spec.Name != "" {
		parts = append(parts, fmt.Sprintf("limit %d", k.Limit))
	}
	if k.Tasks > 0 {
		parts = append(parts, fmt.Sprintf("%d requests", k.Tasks))
	} else {
		parts = append(parts, fmt.Sprintf("duration %v", k.Duration))
	}
	return strings.Join(parts, ", ")
}

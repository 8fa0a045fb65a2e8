package cli

import (
	"bufio"
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
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/bounded"
	"github.com/poolbench/poolbench/strategies"
)

// attackOptions are the flags of attack.
type attackOptions struct {
	loadOptions
	attack.Attack
	agents                                                  agentsFlag
	file                                                    flagFile
	rates                                                   []float64
	arrival, method, body, targets, format, vegeta, letters string
	strategies, headers                                     []string
}

func (a *app) attackCommand() *cobra.Command {
	var o attackOptions
	cmd := &cobra.Command{
		Use:   "attack URL [flags]",
		Short: "open-loop HTTP load, through a strategy or not",
		Args: o.file.before(nil, func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("targets") {
				return nil
			}
			return operands("URL")(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runAttack(cmd, o.file.operands(args), o)
		},
	}
	fs := cmd.Flags()
	addArrivals(cmd, &o.Attack, parsed(&o.rates, "X,...", parseRates), &o.arrival, "constant")
	fs.Var(atLeastOne(&o.Clients, arrivals.MaxTasks), "clients",
		"closed loop of `N` clients instead of an open one")
	addRequests(cmd, &o)
	fs.StringVar(&o.vegeta, "vegeta", "",
		"also write the results in vegeta's encoding to this new `FILE`")
	fs.StringVar(&o.letters, "dead-letters", "",
		"append requests that a retrying strategy gave up to this `FILE`, in lines of JSON")
	fs.BoolVar(&o.Soak, "soak", false, "keep no record of single requests, so that an attack may "+
		"go on for hours: quantiles within 0.1% (so it is beyond 10 million requests)")
	objectiveVar(cmd, &o.objectives, "exit code 1 unless the requests at each rate meet it: "+
		"p99-response<50ms; several with commas, or the flag again")
	o.loadOptions.addTo(cmd)
	fs.BoolVar(&o.resume, "resume", false,
		"continue a killed attack --soak to DIR with the same flags")
	o.file.addTo(cmd, ", and url")
	return cmd
}

// addRequests declares the flags that say what is sent, and through what.
func addRequests(cmd *cobra.Command, o *attackOptions) {
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil,
		"send through this `NAME`; several, with commas or repeated, take turns")
	completeFlag(cmd, "strategy", strategiesOrAll)
	addServers(cmd)
	fs.Var(atLeastOne(&o.Limit, arrivals.MaxTasks), "limit",
		"most requests in flight, `K`, for the strategy (default 4)")
	fs.Var(parsed(&o.Queue, "N", parseQueue), "queue", queueDoc)
	fs.StringVar(&o.method, "method", http.MethodGet, "HTTP `METHOD`")
	fs.StringArrayVar(&o.headers, "header", nil, "send this `'NAME: VALUE'`; repeatable")
	fs.StringVar(&o.body, "body", "", "send the content of this `FILE`")
	fs.StringVar(&o.targets, "targets", "", "requests from this `FILE` in turn, in vegeta's "+
		"format, instead of URL; - for standard input")
	choiceFlag(cmd, &o.format, "targets-format", "format of the targets", attack.Formats...)
	fs.DurationVar(&o.Timeout, "timeout", attack.DefaultTimeout,
		"`TIME` from sending a request to the end of its answer")
	fs.Var(parsed(&o.Workers, "N", parseWorkers), "workers",
		fmt.Sprintf("most requests in flight in the open loop, or unlimited (default %d)",
			attack.DefaultWorkers))
	fs.Var(atLeastOne(&o.Connections, arrivals.MaxTasks), "connections",
		"most connections `N` to a host (default: no limit)")
	fs.IntVar(&o.Redirects, "redirects", 10,
		"follow up to `N` redirects; 0: a redirect is the answer")
	fs.BoolVar(&o.Resend, "resend", false, "let net/http send an idempotent request again when "+
		"its connection breaks; resent/op counts them")
	fs.BoolVar(&o.Insecure, "insecure", false, "do not check certificates")
	fs.StringVar(&o.Label, "name", "",
		"`NAME` of the server in results (default its host and path)")
	o.agents.addTo(cmd, &o.Agents)
}

// addArrivals declares the flags that say when requests come, and how many.
func addArrivals(
	cmd *cobra.Command, k *attack.Attack, rate flagValue, arrival *string, process string,
) {
	fs := cmd.Flags()
	doc := "requests per second"
	if rate.kind != "X" {
		doc += ", `X`, or several with commas, one after another"
	}
	fs.Var(rate, "rate", doc+" (default "+strconv.Itoa(attack.DefaultRate)+")")
	fs.StringVar(arrival, "arrival", process,
		"`NAME` of the open arrival process that says when requests are due")
	completeFlag(cmd, "arrival", arrivalNames)
	fs.DurationVar(&k.Duration, "duration", 10*time.Second, "send for this `TIME`")
	fs.Var(atLeastOne(&k.Tasks, arrivals.MaxTasks), "n", "send this number of `REQUESTS` instead")
	fs.DurationVar(&k.Drain, "drain", attack.DefaultDrain,
		"abandon requests open this `TIME` after the last one was due")
}

// runAttack reads the flags and attacks.
func (a *app) runAttack(cmd *cobra.Command, args []string, o attackOptions) (err error) {
	if _, err := o.mode(); err != nil {
		return err
	}
	if err := o.checkResume(); err != nil {
		return err
	}
	untilDone(cmd, &o.Attack)
	if err := o.read(a.stdin, cmd, args); err != nil {
		return err
	}
	attacks, err := o.attacks()
	if err != nil {
		return err
	}
	if o.letters != "" && !o.dryRun {
		file, err := strategies.OpenDeadLetterFile(o.letters)
		if err != nil {
			return fmt.Errorf("--dead-letters: %w", err)
		}
		defer file.Close() // every letter was written, or Add has said so
		for i := range attacks {
			attacks[i].DeadLetters = file
		}
	}
	if o.vegeta != "" && !o.dryRun {
		if len(attacks)*o.count > 1 {
			return errors.New("--vegeta: a file holds one attack: one strategy and rate, and no --count")
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
	// net/http writes what a hostile server does to the standard logger, and knows no other for a
	// client.
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	newLoad, end, err := a.loader(cmd.Context(), o)
	if err != nil {
		return err
	}
	defer end()
	var loads []load
	for _, k := range attacks {
		l := newLoad(k)
		if len(o.rates) > 1 {
			l.row += fmt.Sprintf(", %v /s", k.Rate)
		}
		loads = append(loads, l)
	}
	what := o.Requests[0].Method + " " + attack.Shown(o.Requests[0].URL)
	if more := len(o.Requests) - 1; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return a.runLoads(cmd.Context(), "attack", what, loads, o.loadOptions)
}

// checkResume refuses what cannot be gone on with.
func (o *attackOptions) checkResume() error {
	switch {
	case !o.resume:
		return nil
	case !o.Soak:
		return errors.New("--resume: want --soak; no other attack writes what can be gone on with")
	case o.Agents > 0:
		return errors.New("--resume and --agents exclude each other: agents write nothing before " +
			"their end")
	case o.vegeta != "":
		return errors.New("--resume and --vegeta exclude each other: the file would lack what " +
			"was sent before")
	}
	return nil
}

// untilDone ends an attack by its number of requests where that alone is given.
func untilDone(cmd *cobra.Command, k *attack.Attack) {
	if cmd.Flags().Changed("n") && !cmd.Flags().Changed("duration") {
		k.Duration = 0
	}
}

// newLoad makes a load of an attack.
func newLoad(k attack.Attack) load {
	l := load{row: k.Target(), name: k.Name(), estimate: k.Duration}
	if k.Strategy.Spec.Name != "" {
		l.row = k.Strategy.String()
	}
	if k.Clients == 0 && k.Tasks > 0 && k.Rate > 0 {
		l.estimate = time.Duration(float64(k.Tasks) / k.Rate * float64(time.Second))
	}
	l.plan = k.Written().WithoutSecrets()
	l.plan.Soak = true // whether it is one of itself or by --soak is no other plan
	l.run = func(ctx context.Context, t turn) (*attack.Report, error) {
		k.Seed, k.Before, k.Watch = t.seed, t.before, t.watch
		return attack.Run(ctx, k)
	}
	return l
}

// mostSent bounds the files of what is sent.
const mostSent = attack.MaxText

// read fills the attack in from the flags that are more than a number.
func (o *attackOptions) read(stdin io.Reader, cmd *cobra.Command, args []string) (err error) {
	if cmd.Flags().Changed("arrival") || o.Clients == 0 {
		if o.Arrival, err = arrivals.Parse(o.arrival); err != nil {
			return fmt.Errorf("--arrival: %w", err)
		}
	}
	if err := o.agents.check(cmd, o.Agents); err != nil {
		return err
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
		if with.Body, err = bounded.ReadFile(o.body, mostSent); err != nil {
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
		text, err = bounded.ReadAll(stdin, mostSent)
	} else {
		text, err = bounded.ReadFile(o.targets, mostSent)
	}
	if err == nil {
		o.Requests, err = attack.ReadRequests(text, o.format, with)
	}
	if err != nil {
		return fmt.Errorf("--targets: %w", err)
	}
	return nil
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
	for i := range len(chosen) * max(len(o.rates), 1) {
		k, s := o.Attack, chosen[i%len(chosen)]
		k.Strategy = s
		if o.rates != nil {
			k.Rate = o.rates[i/len(chosen)]
		}
		if o.letters != "" {
			k.DeadLetters = new(strategies.DeadLetterList) // the file is opened when all is valid
		}
		if k.Limit == 0 && s.Spec.Name != "" {
			k.Limit = attack.DefaultLimit
		}
		wrong = append(wrong, k.Validate())
		all = append(all, k)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return all, objectives.Decidable(o.objectives, all...)
}

func chooseStrategies(texts []string) ([]strategies.Variant, error) {
	var chosen []strategies.Variant
	for _, text := range texts {
		more, err := parseStrategies(text)
		if err != nil {
			return nil, errors.Join(prefixed("--strategy", err)...)
		}
		chosen = append(chosen, more...)
	}
	return chosen, nil
}

// A buffered file is written in pieces of 64 KiB, and what is left at its Close.
type buffered struct {
	*bufio.Writer
	file *os.File
}

func newBuffered(f *os.File) *buffered { return &buffered{bufio.NewWriterSize(f, 64<<10), f} }

// Close writes the rest.
func (b *buffered) Close() error { return errors.Join(b.Flush(), b.file.Close()) }

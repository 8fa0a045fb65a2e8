package options

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/grpcdyn"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
)

type AttackOptions struct {
	LoadOptions
	attack.Attack
	Fleet                   AgentsFlag
	File                    FlagFile
	Rates                   []float64
	Process, proto          string
	VegetaFile, LettersFile flags.Output
	strategies              []string
	sent                    sentFlags
	tls                     tlsFlags
	http1                   bool
	stages                  string
}

func AddAttackFlags(cmd *cobra.Command, o *AttackOptions) {
	fs := cmd.Flags()
	AddArrivals(cmd, &o.Attack, flags.Parsed(&o.Rates, "X,...", ParseRates), &o.Process,
		"constant")
	fs.VarP(flags.Value{Kind: "N", Take: o.readClients}, "clients", "c",
		"closed loop of `N` clients instead of an open load; N may be stages such as "+
			"'30s:0..200, 2m:200'")
	fs.StringVar(&o.stages, "stages", "", "change the rate over time, instead of --rate and "+
		"--duration: `STAGES` such as '30s:0..200, 2m:200' (a ramp, then a constant rate)")
	AddRequests(cmd, o)
	AddSession(cmd, o, "--rate, --n and --clients count sessions")
	fs.BoolVar(&o.DataOnce, "data-once", false, "use each row of --data once; the attack ends "+
		"with the last row, or earlier by --duration or --n")
	o.VegetaFile.AddTo(cmd, "vegeta",
		"also write the results in vegeta's encoding to this new `FILE`")
	o.LettersFile.AddTo(cmd, "dead-letters",
		"append requests that failed in all attempts of a retrying strategy to this `FILE`, as "+
			"lines of JSON")
	fs.Var(flags.Repeated(&o.StopIf, "'RULE'", checks.ParseStop), "stop-if", "end the attack early, "+
		"with exit code 1, by a rule such as 'failed > 5% for 10s' (repeatable)")
	fs.BoolVar(&o.Soak, "soak", false, "keep no records of single requests, so an attack can "+
		"last for hours: quantiles within 0.1% (always for more than 10 million requests)")
	ObjectiveByURL(cmd, &o.Objectives, "exit code 1 unless the requests at each rate meet this "+
		"objective: p99-response<50ms, or for some URLs p95[GET /item/*]<50ms; several with "+
		"commas, or repeated")
	o.LoadOptions.AddTo(cmd)
	Profile(cmd, &o.Profile)
	fs.BoolVar(&o.resume, "resume", false,
		"continue a killed attack --soak in DIR with the same flags (not with sessions)")
	o.File.AddTo(cmd, ", and url")
}

func AddSession(cmd *cobra.Command, o *AttackOptions, rates string) {
	cmd.Flags().StringVar(&o.sent.session, "session", "", "send sessions of the steps in this YAML "+
		"`FILE`; "+rates+", URL is before the urls of steps")
}

func AddRequests(cmd *cobra.Command, o *AttackOptions) {
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil,
		"send through the strategy of this `NAME`; several strategies, with commas or repeated, "+
			"run one after another")
	flags.Complete(cmd, "strategy", StrategiesOrAll)
	Servers(cmd)
	fs.Var(flags.AtLeastOne(&o.Limit, arrivals.MaxTasks), "limit",
		"limit of the strategy, `K`, on requests in flight (default 4)")
	fs.Var(flags.Parsed(&o.Queue, "N", ParseQueue), "queue", QueueDoc)
	o.sent.addTo(cmd, o)
	fs.DurationVar(&o.Timeout, "timeout", attack.DefaultTimeout,
		"`TIME` from sending a request to the end of its answer")
	fs.Var(flags.Parsed(&o.MaxInFlight, "N", ParseMaxInFlight), "max-in-flight",
		"largest number of requests in flight without --strategy and --clients (default unlimited)")
	fs.BoolVar(&o.http1, "http1.1", false, "speak HTTP/1.1 (default)")
	AddHTTP2(cmd, &o.Attack, &o.HTTP2,
		"use HTTP/2: with TLS for https://, without TLS for http://")
	fs.BoolVar(&o.HTTP3, "http3", false, "use HTTP/3, for https://")
	fs.StringVar(&o.UnixSocket, "unix-socket", "",
		"connect to the Unix socket `PATH` instead of the host of the URL")
	fs.StringVar(&o.proto, "proto", "", "read gRPC services from this `FILE`, a .proto or a "+
		"descriptor set (default: the server's reflection)")
	fs.IntVar(&o.Redirects, "redirects", attack.Defaults().Redirects,
		"follow up to `N` redirects; 0: follow no redirects")
	fs.BoolVar(&o.Resend, "resend", attack.Defaults().Resend, "retry a request on a new "+
		"connection if the server did not process it, or if it is idempotent and its reused "+
		"connection closed before an answer; --resend=false sends each request once")
	fs.BoolVar(&o.NoKeepAlive, "no-keepalive", false, "open a connection of HTTP/1.1 for each request")
	o.tls.addTo(cmd, &o.Attack)
	fs.DurationVar(&o.DNSTTL, "dns-ttl", attack.Defaults().DNSTTL, "look up a host again after "+
		"this `TIME`; 0: for each connection. New connections use all addresses of a host one "+
		"after another")
	fs.Var(flags.Share(&o.Trace, true), "traceparent", "send a traceparent header with this "+
		"`SHARE` of the requests, and print the trace ids of the slowest requests")
	fs.StringVar(&o.Label, "name", "",
		"`NAME` of the server in results (default its host and path)")
	o.Fleet.AddTo(cmd, &o.Agents)
}

// h2c is an old alias of http2, which once required TLS.
func AddHTTP2(cmd *cobra.Command, k *attack.Attack, http2 *bool, doc string) {
	fs := cmd.Flags()
	fs.Var(flags.AtLeastOne(&k.Connections, arrivals.MaxTasks), "connections",
		"largest number of connections to a host, `N` (default: no limit)")
	fs.BoolVar(http2, "http2", false, doc)
	fs.BoolVar(&k.H2C, "h2c", false, "use HTTP/2 without TLS, for http://")
	if err := fs.MarkHidden("h2c"); err != nil {
		panic(err)
	}
	fs.Var(flags.AtLeastOne(&k.Streams, arrivals.MaxTasks), "streams",
		"largest number of requests at once, `N`, on a connection of HTTP/2, HTTP/3 or gRPC "+
			"(default 100)")
}

func AddArrivals(
	cmd *cobra.Command, k *attack.Attack, rate flags.Value, arrival *string, process string,
) {
	fs := cmd.Flags()
	doc := "requests per second"
	if rate.Kind != "X" {
		doc += ", `X`, or several rates with commas, one after another"
	}
	fs.VarP(rate, "rate", "r", doc+" (default "+strconv.Itoa(attack.DefaultRate)+")")
	fs.StringVar(arrival, "arrival", process,
		"`NAME` of the arrival process, which plans the due times of the requests")
	flags.Complete(cmd, "arrival", ArrivalNames)
	fs.DurationVarP(&k.Duration, "duration", "d", attack.Defaults().Duration, "send for this `TIME`")
	fs.VarP(flags.AtLeastOne(&k.Tasks, arrivals.MaxTasks), "n", "n",
		"send this number of `REQUESTS` instead")
	fs.DurationVar(&k.Drain, "drain", attack.DefaultDrain,
		"abandon requests that are still open this `TIME` after the last planned request")
}

func (o *AttackOptions) CheckResume() error {
	switch {
	case !o.resume:
		return nil
	case o.sent.session != "":
		return errors.New("--resume and --session exclude each other: running sessions are lost, " +
			"with their remaining steps")
	case !o.Soak:
		return errors.New("--resume: want --soak, because other attacks cannot be resumed")
	case o.Agents > 0:
		return errors.New("--resume and --agents exclude each other: agents write nothing before " +
			"their end")
	case o.VegetaFile.Path != "":
		return errors.New("--resume and --vegeta exclude each other: the file would lack the " +
			"requests sent before")
	}
	return nil
}

// UntilDone makes an attack end by its number of requests if only --n is given.
func UntilDone(cmd *cobra.Command, k *attack.Attack) {
	if cmd.Flags().Changed("n") && !cmd.Flags().Changed("duration") {
		k.Duration = 0
	}
}

const maxSent = attack.MaxText

func (o *AttackOptions) Read(stdin io.Reader, cmd *cobra.Command, args []string) (err error) {
	if cmd.Flags().Changed("arrival") || o.Clients == 0 {
		if o.Arrival, err = arrivals.Parse(o.Process); err != nil {
			return fmt.Errorf("--arrival: %w", err)
		}
	}
	if o.stages != "" {
		if err := o.readStages(cmd); err != nil {
			return fmt.Errorf("--stages: %w", err)
		}
	}
	if o.ClientStages != nil {
		if err := o.checkClientStages(cmd); err != nil {
			return err
		}
	}
	if err := o.Fleet.check(cmd, o.Agents); err != nil {
		return err
	}
	if o.proto != "" {
		if o.Descriptors, err = grpcdyn.ReadSet(o.proto); err != nil {
			return fmt.Errorf("--proto: %w", err)
		}
	}
	if o.Agents > 0 && o.Live.Stream.Path != "" {
		return errors.New("--progress-json and --agents exclude each other: agents report only " +
			"at their end")
	}
	if err := o.tls.read(&o.Attack); err != nil {
		return err
	}
	if err := o.checkSocket(); err != nil {
		return fmt.Errorf("--unix-socket: %w", err)
	}
	if err := o.sent.read(stdin, cmd, args, o); err != nil {
		return err
	}
	if err := o.chooseProtocol(); err != nil {
		return err
	}
	if o.DataOnce {
		return o.readDataOnce(cmd)
	}
	return nil
}

func (o *AttackOptions) readStages(cmd *cobra.Command) (err error) {
	for _, other := range []string{"rate", "duration", "n", "clients"} {
		if cmd.Flags().Changed(other) {
			hint := ""
			if other == "clients" {
				hint = "; for stages of clients, give --clients '30s:0..200, 2m:200'"
			}
			return fmt.Errorf("not with --%s: stages have their own rates and durations%s", other, hint)
		}
	}
	if o.Agents > 0 {
		return errors.New("not with --agents: results by stage are not merged")
	}
	o.Arrival, o.Duration, err = arrivals.Ramps(o.Arrival, o.stages)
	return err
}

func (o *AttackOptions) readClients(text string) (err error) {
	o.ClientStages = nil
	if !strings.Contains(text, ":") {
		o.Clients, err = flags.UpTo(arrivals.MaxTasks)(text)
		return err
	}
	o.ClientStages, err = arrivals.ParseClientStages(text)
	o.Clients = arrivals.MaxClients(o.ClientStages)
	return err
}

// checkClientStages sets the length of an attack with stages of clients.
func (o *AttackOptions) checkClientStages(cmd *cobra.Command) error {
	for _, other := range []string{"duration", "n", "agents"} {
		if cmd.Flags().Changed(other) {
			return fmt.Errorf("--clients: stages are not possible with --%s", other)
		}
	}
	o.Duration = 0
	for _, s := range o.ClientStages {
		o.Duration += s.For
	}
	return nil
}

func (o *AttackOptions) chooseProtocol() error {
	if o.http1 {
		switch {
		case o.HTTP2:
			return errors.New("--http1.1 and --http2 exclude each other")
		case o.H2C:
			return errors.New("--http1.1 and --h2c exclude each other")
		case o.HTTP3:
			return errors.New("--http1.1 and --http3 exclude each other")
		case strings.HasPrefix(o.Requests[0].URL, "grpc"):
			return errors.New("--http1.1: gRPC needs HTTP/2")
		}
	}
	secure := func(r attack.Request) bool { return !strings.HasPrefix(r.URL, "http://") }
	if o.HTTP2 && !slices.ContainsFunc(o.Requests, secure) {
		o.HTTP2, o.H2C = false, true
	}
	return nil
}

// readDataOnce makes the attack use each row of data once, unless a flag sets its length.
func (o *AttackOptions) readDataOnce(cmd *cobra.Command) error {
	if o.Data == nil {
		return errors.New("--data-once: want --data")
	}
	if !cmd.Flags().Changed("duration") && !cmd.Flags().Changed("n") {
		o.Tasks, o.Duration = len(o.Data.Rows), 0
	}
	return nil
}

// checkSocket fails early if no process listens on the socket.
func (o *AttackOptions) checkSocket() error {
	if o.UnixSocket == "" || o.DryRun || o.Fleet.NATS != "" { // agents may run on other machines
		return nil
	}
	c, err := net.DialTimeout("unix", o.UnixSocket, socketAnswers)
	if err != nil {
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			err = errno
		}
		return fmt.Errorf("no server listens: %s: %w", o.UnixSocket, err)
	}
	return c.Close()
}

const socketAnswers = 2 * time.Second

func (o *AttackOptions) Attacks() ([]attack.Attack, error) {
	chosen, err := ChooseStrategies(o.strategies)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		chosen = []strategies.Variant{{}}
	}
	if runs := len(chosen) * max(len(o.Rates), 1) * o.Count; o.DataOnce && runs > 1 {
		return nil, fmt.Errorf("--data-once: each of the %d runs would use all rows: want one "+
			"strategy, one rate and no --count", runs)
	}
	var all []attack.Attack
	var wrong []error
	for i := range len(chosen) * max(len(o.Rates), 1) {
		k, s := o.Attack, chosen[i%len(chosen)]
		k.Strategy = s
		if o.Rates != nil {
			k.Rate = o.Rates[i/len(chosen)]
		}
		if o.LettersFile.Path != "" {
			// the file is opened when all flags are valid
			k.DeadLetters = new(strategies.DeadLetterList)
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
	if o.Objectives, err = o.Objectives.ForURLs(urlsOf(all[0])); err != nil {
		return nil, fmt.Errorf("--objective: %w", err)
	}
	return all, objectives.Decidable(o.Objectives, all...)
}

func urlsOf(a attack.Attack) (all []objectives.URL) {
	for _, u := range a.URLs() {
		names := []string{u.Name}
		if u.Also != "" {
			names = append(names, u.Also)
		}
		all = append(all, objectives.URL{Names: names, Prefix: u.Prefix})
	}
	return all
}

// "all" and "every" select only strategies that make one attempt at a request at a time.
func ChooseStrategies(texts []string) ([]strategies.Variant, error) {
	var chosen []strategies.Variant
	for _, text := range texts {
		more, err := parseStrategies(text)
		if err != nil {
			return nil, prefixed("--strategy", err)
		}
		if text == Distinct || text == Every {
			more = slices.DeleteFunc(more, func(v strategies.Variant) bool { return v.Spec.Hedges })
		}
		chosen = append(chosen, more...)
	}
	return chosen, nil
}

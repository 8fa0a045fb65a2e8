package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/registry"
)

type workerOptions struct {
	nats   string
	listen string
	any    bool // whether listen may be an address other than loopback
	slots  int
	idle   time.Duration
	quiet  bool
}

func (a *app) workerCommand() *cobra.Command {
	o := workerOptions{slots: runtime.GOMAXPROCS(0)}
	cmd := &cobra.Command{
		Use:   "worker [flags]",
		Short: "execute runs for a poolbench command on this or another machine",
		Args:  flags.Operands(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.work(cmd.Context(), o) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.nats, "nats", "", "`ADDRESS` of the NATS server, such as "+
		registry.NATS.Example+" (default $"+registry.NATS.Variable+"); -: the first line of "+
		"standard input, with whose end the worker ends")
	fs.StringVar(&o.listen, "listen", "", "also start a NATS server at this `HOST:PORT`, for "+
		"other workers and the commands; with $NATS_TOKEN, only for clients that have the token")
	fs.BoolVar(&o.any, "any-address", false, "allow a --listen that is not loopback; needs "+
		"$NATS_TOKEN")
	fs.Var(flags.AtLeastOne(&o.slots, options.MaxLocalWorkers), "parallel",
		"number of virtual-clock runs at once, `N` (default: one for each processor)")
	fs.DurationVar(&o.idle, "idle", 0, "end after this `TIME` without work (default: never)")
	options.Servers(cmd)
	fs.BoolVar(&o.quiet, "quiet", false, "do not print who connects and leaves")
	return cmd
}

func (a *app) work(ctx context.Context, o workerOptions) error {
	if o.idle < 0 {
		return fmt.Errorf("--idle: want a positive duration, got %v", o.idle)
	}
	say := func(line string) { a.Complain(errors.New(line)) }
	if o.quiet {
		say = func(string) {}
	}
	ctx, done := terminal.Interruptible(ctx, nil)
	defer done()
	address, ctx, server, err := a.findHub(ctx, o)
	if err != nil {
		return err
	}
	if server != nil {
		defer func() { a.Complain(server.Close()) }()
		var fail context.CancelCauseFunc
		ctx, fail = context.WithCancelCause(ctx)
		defer fail(nil)
		go server.Watch(ctx, func(err error) { fail(&execute.HubError{Cause: err}) })
	}
	me, err := execute.Self()
	if err != nil {
		return err
	}
	conn, err := hub.Await(ctx, address, func(err error) {
		a.Complain(fmt.Errorf("%w: waiting for the server, Ctrl-C ends the worker", err))
	})
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errParent):
		return nil
	case ctx.Err() != nil:
		return terminal.Interrupted
	case err != nil:
		return err
	}
	defer conn.Close()
	runs := &patientRunners{app: a, all: map[time.Duration]*execute.Runner{}}
	defer runs.close()
	say(fmt.Sprintf("ready for %s, %d runs at once. Ctrl-C ends the worker", hub.Shown(address),
		o.slots))
	worker := fleet.Worker{Conn: conn, Self: me, Slots: o.slots, Run: runs.run, Idle: o.idle,
		Say: say}
	err = serveAttacks(ctx, fleet.Agent{Conn: conn, Self: me, Say: say}, worker.Work)
	if failed, is := errors.AsType[*execute.HubError](context.Cause(ctx)); is {
		return failed
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // it had not begun to work
		err = nil
	}
	if err == nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), errParent) {
		err = terminal.Interrupted
	}
	return err
}

func serveAttacks(
	ctx context.Context, agent fleet.Agent, work func(context.Context) error,
) error {
	// net/http logs errors of hostile servers to the standard logger.
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	serving, end := context.WithCancel(ctx)
	defer end()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(serving) }()
	err := work(ctx)
	end()
	if of := <-served; err == nil {
		err = of
	}
	return err
}

// findHub also returns the server if that runs in this process.
func (a *app) findHub(
	ctx context.Context, o workerOptions,
) (address string, _ context.Context, server *hub.Local, err error) {
	address = o.nats
	switch {
	case o.listen != "" && address != "":
		err = errors.New("--nats and --listen exclude each other")
	case o.listen != "":
		token := os.Getenv("NATS_TOKEN")
		if err = options.CheckAddress(o.listen, o.any); err == nil && o.any && token == "" {
			err = errors.New("--any-address needs $NATS_TOKEN: anyone who connects can run " +
				"commands on this machine")
		}
		if err == nil {
			server, err = hub.StartAt(o.listen, token)
		}
		if err != nil {
			return "", ctx, nil, fmt.Errorf("--listen: %w", err)
		}
		address = server.Address
	case address == "-":
		address, ctx, err = fromParent(ctx, a.stdin)
	case address == "":
		address = os.Getenv(registry.NATS.Variable)
	}
	switch {
	case err != nil:
	case address == "":
		err = errors.New("want --nats, the address of a NATS server, such as " +
			registry.NATS.Example + "; or --listen")
	default:
		if err = hub.Check(address); err != nil {
			err = fmt.Errorf("--nats: %w", err)
		}
	}
	return address, ctx, server, err
}

var errParent = errors.New("the parent process has ended")

// The returned context ends with the input.
func fromParent(ctx context.Context, stdin io.Reader) (string, context.Context, error) {
	lines := bufio.NewReader(stdin)
	line, err := readAddress(lines)
	if err != nil {
		return "", ctx, err
	}
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, lines) // any end of the input means that the parent has ended
		end(errParent)
	}()
	return strings.TrimSpace(line), ctx, nil
}

// maxAddress is a number of bytes.
const maxAddress = 4 << 10

func readAddress(r io.ByteReader) (string, error) {
	var line []byte
	for {
		switch c, err := r.ReadByte(); {
		case err != nil:
			return "", fmt.Errorf("--nats -: the first line of standard input: %w", err)
		case c == '\n':
			return string(line), nil
		case len(line) == maxAddress:
			return "", fmt.Errorf("--nats -: the first line of standard input: %w",
				files.TooLongError(maxAddress))
		default:
			line = append(line, c)
		}
	}
}

// patientRunners caches runners by their patience.
type patientRunners struct {
	app *app

	mu  sync.Mutex
	all map[time.Duration]*execute.Runner
}

func (p *patientRunners) run(
	ctx context.Context, s bench.Scenario, patience time.Duration, soFar func(*bench.Result),
) (*bench.Result, error) {
	r, err := p.runner(patience).Telling(ctx, s, soFar)
	if _, stuck := errors.AsType[*execute.StuckError](err); stuck {
		return nil, fleet.FatalError{Err: err}
	}
	return r, err
}

func (p *patientRunners) runner(patience time.Duration) *execute.Runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[patience] == nil {
		p.all[patience] = execute.New(p.app.Host, patience)
	}
	return p.all[patience]
}

func (p *patientRunners) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.all {
		r.Close()
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	workload, addr string
	any            bool
	seed           uint64
}

// stopServing is how long requests have to end when the server is told to.
const stopServing = 5 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:                   "serve TARGET [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "a target as a real HTTP server",
		Args:                  operands("TARGET"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return targetNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.serve(cmd.Context(), args[0], o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.workload, "workload", "constant:mean=1ms",
		"`NAME` of the workload that a request runs")
	completeFlag(cmd, "workload", workloadNames)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0",
		"listen on this `HOST:PORT`; port 0 is any that is free")
	fs.BoolVar(&o.any, "any-address", false, "allow an --addr that is not loopback")
	fs.Uint64Var(&o.seed, "seed", 1, "seed `N` of the workload and the target")
	return cmd
}

// serve is `poolbench serve`.
func (a *app) serve(ctx context.Context, name string, o serveOptions) (err error) {
	s, err := newServing(name, o.workload, o.seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := checkAddress(o.addr, o.any); err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	url := "http://" + listener.Addr().String() + "/"
	if _, err := fmt.Fprintln(a.stdout, url); err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(a.stderr, "serving %s, which costs %s; counts at %smetrics; interrupt to end\n",
		s.variant, o.workload, url)
	return serveUntil(ctx, targets.NewServer(s.handler()), listener, stopServing)
}

// serveUntil serves until ctx ends, then lets the requests under way end, those that do so within
// the grace.
func serveUntil(
	ctx context.Context, server *http.Server, listener net.Listener, grace time.Duration,
) error {
	server.ErrorLog = log.New(io.Discard, "", 0) // what clients do wrong is theirs to know
	// Requests end with the grace, too: work that looks at its context then lets go.
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server.BaseContext = func(net.Listener) context.Context { return work }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := server.Shutdown(patience)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // that was their time
	}
	if e := <-failed; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// checkAddress refuses what is not loopback, unless any is.
func checkAddress(addr string, any bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("want HOST:PORT, got %q", addr)
	}
	if any || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("%q is no loopback address; --any-address allows it", host)
	}
	return nil
}

// A serving is a target with the work behind it, and its counts.
type serving struct {
	variant  targets.Variant
	target   targets.Target
	workload workloads.Workload
	counts   serveCounts
}

// newServing reads the two names and builds what they stand for.
func newServing(target, workload string, seed uint64) (*serving, error) {
	c, err := param.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &serving{}
	if s.variant, err = targets.Resolve(c); err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	if s.workload, err = buildWorkload(workload, seed); err != nil {
		return nil, err
	}
	if s.target, err = s.variant.Spec.Build(seed, s.variant.Values); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// buildWorkload reads --workload where the work is done behind a server.
func buildWorkload(text string, seed uint64) (workloads.Workload, error) {
	v, err := parseWorkload(text)
	if err != nil {
		return nil, fmt.Errorf("--workload: %w", err)
	}
	w, err := v.Spec.Build(seed, v.Values)
	if err != nil {
		return nil, fmt.Errorf("--workload: %w", err)
	}
	if _, served := w.(workloads.Served); served {
		return nil, errors.Join(fmt.Errorf("--workload: %s calls a server of its own", v.Spec.Name),
			closeWorkload(w))
	}
	return w, nil
}

func parseWorkload(text string) (workloads.Variant, error) {
	c, err := param.Parse(text)
	if err != nil {
		return workloads.Variant{}, err
	}
	return workloads.Resolve(c)
}

// closeWorkload gives back what the workload holds, if it holds anything.
func closeWorkload(w workloads.Workload) error {
	if c, ok := w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (s *serving) close() error { return closeWorkload(s.workload) }

// handler serves the target on every path, and the counts on one.
func (s *serving) handler() http.Handler {
	calls := s.counts.counting(targets.Handler(s.target, s.workload.Do))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			s.metrics(w, r)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

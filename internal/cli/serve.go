package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/targets/rpc"
	"github.com/poolbench/poolbench/workloads"
)

type serveOptions struct {
	workload, addr string
	any            bool
	seed           uint64
}

// stopServing is the grace period for requests after the server is stopped.
const stopServing = 5 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:               "serve TARGET [flags]",
		Short:             "run a target as a real HTTP server",
		Args:              flags.Operands("TARGET"),
		ValidArgsFunction: flags.CompleteArgs(false, options.TargetNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.serve(cmd.Context(), args[0], o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.workload, "workload", "constant:mean=1ms",
		"`NAME` of the workload that a request runs")
	flags.Complete(cmd, "workload", options.WorkloadNames)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0",
		"listen on this `HOST:PORT`; port 0 is any that is free")
	fs.BoolVar(&o.any, "any-address", false, "allow an --addr that is not loopback")
	fs.Uint64Var(&o.seed, "seed", 1, "seed `N` of the workload and the target")
	return cmd
}

func (a *app) serve(ctx context.Context, name string, o serveOptions) (err error) {
	s, err := newServing(name, o.workload, o.seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeWorkload(s.workload)) }()
	if err := options.CheckAddress(o.addr, o.any); err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	url := "http://" + listener.Addr().String() + "/"
	if _, err := fmt.Fprintln(a.Stdout, url); err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(a.Stderr, "serving %s; work of a request: %s; counters at %smetrics; Ctrl-C ends "+
		"it\n",
		s.variant, o.workload, url)
	return serveUntil(ctx, targets.NewServer(s.handler()), listener, stopServing)
}

func serveUntil(
	ctx context.Context, server *http.Server, listener net.Listener, grace time.Duration,
) error {
	server.ErrorLog = log.New(io.Discard, "", 0) // errors of clients are not reported
	// The context of requests ends after the grace period, which ends work that observes it.
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
		err = server.Close() // the grace period is over
	}
	if e := <-failed; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

type serving struct {
	variant  targets.Variant
	target   targets.Target
	workload workloads.Workload
	counts   serveCounts
}

func newServing(target, workload string, seed uint64) (*serving, error) {
	s := &serving{counts: serveCounts{answers: map[string]int{}}}
	var err error
	if s.variant, err = targets.Parse(target); err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	if _, s.workload, err = buildWorkload(workload, seed); err != nil {
		return nil, err
	}
	if s.target, err = s.variant.Spec.Build(seed, s.variant.Values); err != nil {
		return nil, errors.Join(err, closeWorkload(s.workload))
	}
	return s, nil
}

func buildWorkload(
	text string, seed uint64,
) (v workloads.Variant, w workloads.Workload, err error) {
	if v, err = workloads.Parse(text); err == nil {
		w, err = v.Spec.Build(seed, v.Values)
	}
	if err != nil {
		return v, nil, fmt.Errorf("--workload: %w", err)
	}
	if _, served := w.(workloads.Served); served {
		return v, nil, errors.Join(fmt.Errorf("--workload: %s calls its own server",
			v.Spec.Name), closeWorkload(w))
	}
	return v, w, nil
}

func closeWorkload(w workloads.Workload) error {
	if c, ok := w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (s *serving) handler() http.Handler {
	calls := s.counts.counting(targets.Handler(s.target, s.workload.Do))
	remote := rpc.Handler(s.target, s.workload.Do)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/metrics":
			s.metrics(w, r)
		case !isRPC(r):
			calls.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/grpc.reflection."): // it is not a call either
			remote.ServeHTTP(w, r)
		default:
			s.counts.counting(remote).ServeHTTP(w, r)
		}
	})
}

func isRPC(r *http.Request) bool {
	return r.ProtoMajor == 2 &&
		strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

type serveCounts struct {
	mu       sync.Mutex
	inFlight int
	answers  map[string]int // by status or code; 0 if the handler gave up without an answer
}

func (c *serveCounts) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.inFlight++
		c.mu.Unlock()
		s := &statusWriter{ResponseWriter: w}
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.inFlight--
			c.answers[s.spell()]++
		}()
		h.ServeHTTP(s, r)
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) spell() string {
	if code, err := strconv.Atoi(s.Header().Get("Grpc-Status")); err == nil {
		return rpc.Spell(code)
	}
	return strconv.Itoa(s.status)
}

// Flush is for gRPC.
func (s *statusWriter) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }

func (s *statusWriter) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusWriter) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// metrics uses the text format of Prometheus, version 0.0.4. It does not count its own requests.
func (s *serving) metrics(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	s.counts.mu.Lock()
	answers, inFlight := maps.Clone(s.counts.answers), s.counts.inFlight
	s.counts.mu.Unlock()
	family("poolbench_requests_total", "counter", "Requests that have been answered, by status.")
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		fmt.Fprintf(&b, "poolbench_requests_total{status=%q} %d\n", status, answers[status])
	}
	family("poolbench_in_flight_requests", "gauge",
		"Requests that are being served or are waiting.")
	fmt.Fprintf(&b, "poolbench_in_flight_requests %d\n", inFlight)
	if counted, ok := s.target.(targets.Counted); ok {
		docs := map[string]string{}
		for _, c := range s.variant.Spec.Counts {
			docs[c.Name] = c.Doc
		}
		for _, c := range counted.Counts() {
			name := "poolbench_target_" + strings.ReplaceAll(c.Name, "-", "_") + "_total"
			family(name, "counter", "Of target "+s.variant.Spec.Name+": "+docs[c.Name]+".")
			fmt.Fprintf(&b, "%s %d\n", name, c.Value)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, b.String()) // the client may have left
}

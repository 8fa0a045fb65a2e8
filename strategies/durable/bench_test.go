package durable_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

// A raw is the baseline of a strategy: a loop around the broker's own client.
type raw struct {
	text  string // strategy, for strategies.Parse
	limit int    // consumers, of both
	// put adds a message of 256 bytes. consume takes n messages and calls run for each, at most
	// limit at a time.
	open func(b *testing.B, limit int) (put func() error, consume func(n int, run func()) error)
}

var raws = []raw{
	{"jetstream", 1, openRawJetStream},
	{"sqlite_queue:sync=normal", 1, openRawSQLite},
	{"postgres_queue", 1, openRawPostgres},
	{"river:cooldown=1ms,poll=20ms", 50, openRawRiver},
	{"redis_stream", 1, openRawRedis},
	{"asynq:poll=100ms", 1, openRawAsynq},
	{"rabbitmq", 1, openRawRabbitMQ},
	{"rabbitmq:queue=classic", 1, openRawClassic},
}

// BenchmarkSubmit compares Submit, while the only slot is occupied, with the client's call.
func BenchmarkSubmit(b *testing.B) {
	compare(b, func(b *testing.B, r raw) {
		run := newRuns(b, r)
		b.ResetTimer()
		run.submit(b.N)
		b.StopTimer()
		run.end()
	}, func(b *testing.B, r raw) {
		put, _ := r.open(b, r.limit)
		for b.Loop() {
			if err := put(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkConsume measures the time per message until its acknowledgement.
func BenchmarkConsume(b *testing.B) {
	compare(b, func(b *testing.B, r raw) {
		run := newRuns(b, r)
		run.submit(b.N)
		b.ResetTimer()
		close(run.gate)
		run.all.Wait()
		b.StopTimer()
		run.end()
	}, func(b *testing.B, r raw) {
		put, consume := r.open(b, r.limit)
		for range b.N {
			if err := put(); err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		if err := consume(b.N, func() {}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
	})
}

// compare skips strategies without an available server.
func compare(b *testing.B, strategy, client func(b *testing.B, r raw)) {
	for _, r := range raws {
		b.Run(r.text, func(b *testing.B) {
			serve(b, strategies.MustParse(r.text).Spec)
			b.Run("strategy", func(b *testing.B) { strategy(b, r) })
			b.Run("raw", func(b *testing.B) { client(b, r) })
		})
	}
}

// A runs is an instance whose slots are occupied until the gate opens.
type runs struct {
	b        *testing.B
	strategy strategies.Strategy
	gate     chan struct{}
	all      sync.WaitGroup // tasks of submit
}

func newRuns(b *testing.B, r raw) *runs {
	v := strategies.MustParse(r.text)
	x := &runs{b: b, gate: make(chan struct{})}
	var err error
	x.strategy, err = v.Spec.Start(b.Context(), strategies.Params{Limit: r.limit, Values: v.Values},
		strategies.SinkFunc(func(t *strategies.Task, _ strategies.Result) {
			if t.Arg == nil {
				x.all.Done()
			}
		}))
	if err != nil {
		b.Fatal(err)
	}
	var running sync.WaitGroup
	running.Add(r.limit)
	for range r.limit {
		if err := x.strategy.Submit(b.Context(), &strategies.Task{Arg: x,
			Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
				running.Done()
				select {
				case <-x.gate:
				case <-ctx.Done():
				}
				return strategies.Result{}
			}}); err != nil {
			b.Fatal(err)
		}
	}
	running.Wait()
	return x
}

func (x *runs) submit(n int) {
	x.all.Add(n)
	tasks := make([]strategies.Task, n)
	for i := range tasks {
		tasks[i].Run = func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{}
		}
		if err := x.strategy.Submit(x.b.Context(), &tasks[i]); err != nil {
			x.b.Fatal(err)
		}
	}
}

func (x *runs) end() {
	ended, cancel := context.WithCancel(x.b.Context())
	cancel()
	var left *strategies.DrainError
	if err := x.strategy.Drain(ended); err != nil && !errors.As(err, &left) {
		x.b.Fatal(err)
	}
}

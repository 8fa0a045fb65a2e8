package durable_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
)

func TestQuick(t *testing.T) {
	for _, text := range []string{"sqlite_queue", "sqlite_queue:sync=normal", "jetstream",
		"jetstream:sync=always", "jetstream:store=memory"} {
		t.Run(text, func(t *testing.T) {
			v := strategies.MustParse(text)
			var done, bad atomic.Int64
			s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 4, Values: v.Values},
				strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) {
					done.Add(1)
					if r.Err != nil {
						bad.Add(1)
					}
				}))
			if err != nil {
				t.Fatal(err)
			}
			var runs atomic.Int64
			start := time.Now()
			const n = 2000
			for i := range n {
				run := func(context.Context, *strategies.Task) strategies.Result {
					runs.Add(1)
					if i == 7 {
						return strategies.Result{Err: errors.New("no"), Retry: true}
					}
					return strategies.Result{}
				}
				task := &strategies.Task{ID: uint64(i), Run: run}
				if err := s.Submit(t.Context(), task); err != nil {
					t.Fatal(err)
				}
			}
			t.Log("submitted", time.Since(start)/n)
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Log("drained", time.Since(start)/n, runs.Load(), done.Load(), bad.Load())
			if runs.Load() != n+2 || done.Load() != n || bad.Load() != 1 {
				t.Error("wrong")
			}
		})
	}
}

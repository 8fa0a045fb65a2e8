package builtin_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestKeysInOrder(t *testing.T) {
	n, keys := 100_000, 1_000
	if testing.Short() {
		n = 20_000
	}
	busy, last := make([]atomic.Bool, keys), make([]atomic.Int64, keys)
	var running, most, done, wrong atomic.Int64
	sink := strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done.Add(1) })
	s := startVariant(t, "per_key", 8, 1000, sink)
	run := func(_ context.Context, task *strategies.Task) strategies.Result {
		key := task.Tenant
		if now := running.Add(1); now > most.Load() {
			most.Store(now)
		}
		if !busy[key].CompareAndSwap(false, true) ||
			last[key].Swap(int64(task.ID)) >= int64(task.ID) {
			wrong.Add(1)
		}
		runtime.Gosched()
		busy[key].Store(false)
		running.Add(-1)
		return strategies.Result{}
	}
	random := rand.New(rand.NewPCG(1, 8))
	zipf := rand.NewZipf(random, 1.1, 1, uint64(keys-1))
	for i := range n {
		task := &strategies.Task{ID: uint64(i + 1), Run: run, Tenant: int32(zipf.Uint64())}
		if err := s.Submit(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done.Load() != int64(n) || wrong.Load() > 0 || most.Load() > 8 {
		t.Errorf("%d of %d done, %d overlap or overtake a task of their key, %d ran at once",
			done.Load(), n, wrong.Load(), most.Load())
	}
}

// A quarter of the tasks wait for their key.
func BenchmarkKeys(b *testing.B) {
	for _, text := range []string{"per_key", "limit_per_tenant:each=1"} {
		b.Run("strategy="+text, func(b *testing.B) {
			room := make(chan *strategies.Task, 256)
			s := startVariant(b, text, 8, 256, strategies.SinkFunc(
				func(t *strategies.Task, _ strategies.Result) { room <- t }))
			random := rand.New(rand.NewPCG(1, 9))
			zipf := rand.NewZipf(random, 1.1, 1, 999)
			for range cap(room) {
				room <- &strategies.Task{Run: nothing, Tenant: int32(zipf.Uint64())}
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Submit(b.Context(), <-room); err != nil {
					b.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
			defer cancel()
			if err := s.Drain(ctx); err != nil {
				b.Error(err)
			}
		})
	}
}

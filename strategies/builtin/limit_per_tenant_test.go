package builtin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestTenantsLimits(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		each  int
	}{
		{"limit_per_tenant:each=1", 8, 1},
		{"limit_per_tenant:each=3", 8, 3},
		{"limit_per_tenant:each=3,waiting=2+semaphore", 8, 3},
		{"limit_per_tenant:each=2+unbounded", 1, 2},
		{"retry:base=0s+limit_per_tenant:each=2+worker_pool", 8, 2},
		{"limit_per_tenant:each=2+retry:base=0s+token_bucket:rate=5000+semaphore", 8, 2},
		{"limit_per_tenant:each=2+circuit_breaker+dispatcher", 8, 2},
		{"circuit_breaker+limit_per_tenant:each=2+worker_pool", 8, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			const n = 2000
			random, mu := rand.New(rand.NewPCG(5, 5)), sync.Mutex{}
			running, most, all, done := map[int32]int{}, map[int32]int{}, 0, 0
			s := startVariant(t, c.text, c.limit, 0, strategies.SinkFunc(
				func(*strategies.Task, strategies.Result) {
					mu.Lock()
					defer mu.Unlock()
					done++
				}))
			run := func(_ context.Context, task *strategies.Task) strategies.Result {
				mu.Lock()
				running[task.Tenant]++
				most[task.Tenant] = max(most[task.Tenant], running[task.Tenant])
				if all++; all%2 == 0 {
					runtime.Gosched()
				}
				d := time.Duration(random.IntN(3000)) * time.Microsecond
				mu.Unlock()
				time.Sleep(d)
				mu.Lock()
				defer mu.Unlock()
				running[task.Tenant]--
				return strategies.Result{}
			}
			for i := range n {
				tenant := int32(0) // the first sends nine tenths of the tasks
				if i%10 == 0 {
					tenant = int32(i % 7)
				}
				err := s.Submit(t.Context(), &strategies.Task{Run: run, Tenant: tenant})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Drain(t.Context()); err != nil || done != n {
				t.Errorf("%s: %d of %d done, %v", c.text, done, n, err)
			}
			if most[0] != c.each {
				t.Errorf("%s: tenant 0 had %d at once, want %d", c.text, most[0], c.each)
			}
			for tenant, n := range most {
				if n > c.each {
					t.Errorf("%s: tenant %d had %d at once", c.text, tenant, n)
				}
			}
		})
	}
}

func TestTenantsAreIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, mu := time.Now(), sync.Mutex{}
		began := map[string]time.Duration{}
		s := startVariant(t, "limit_per_tenant:each=2+worker_pool", 4, 0, strategies.SinkFunc(
			func(*strategies.Task, strategies.Result) {}))
		submit := func(name string, tenant int32) {
			err := s.Submit(t.Context(), &strategies.Task{Tenant: tenant,
				Run: func(context.Context, *strategies.Task) strategies.Result {
					mu.Lock()
					began[name] = time.Since(start)
					mu.Unlock()
					time.Sleep(time.Second)
					return strategies.Result{}
				}})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 6 {
			submit(fmt.Sprint("a", i), 1)
		}
		time.Sleep(100 * time.Millisecond)
		submit("b0", 2)
		submit("c0", -3)
		submit("c1", -3)
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		const sec = time.Second
		want := map[string]time.Duration{"a0": 0, "a1": 0, "b0": sec / 10, "c0": sec / 10,
			// when c1 arrives, all four slots are occupied
			"c1": sec, "a2": sec, "a3": sec + sec/10, "a4": 2 * sec, "a5": 2*sec + sec/10}
		for name, at := range want {
			if began[name] != at {
				t.Errorf("%s began at %v, want %v", name, began[name], at)
			}
		}
	})
}

func TestTenantsAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, text := range []string{"limit_per_tenant+semaphore", "per_key"} {
		t.Run(text, func(t *testing.T) {
			done := make(chan struct{}, 1)
			s := startVariant(t, text, 4, 0, strategies.SinkFunc(
				func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
			task := &strategies.Task{Run: nothing}
			send := func(n int) {
				for range n {
					task.Tenant++
					if err := s.Submit(t.Context(), task); err != nil {
						t.Fatal(err)
					}
					<-done
				}
			}
			send(1000)
			if got := testing.AllocsPerRun(5, func() { send(1000) }); got > 10 {
				t.Errorf("%v allocations for 1000 tenants that are new", got)
			}
			heap := func() uint64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := heap()
			send(200_000)
			if grown := int64(heap()) - int64(before); grown > 200_000 {
				t.Errorf("200,000 tenants that are gone keep %d bytes", grown)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTenantsParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"limit_per_tenant:each=1,waiting=0": "",
		"limit_per_tenant:each=0":           "strategy limit_per_tenant: each 0: want 1 to 1048576",
		"limit_per_tenant:waiting=16777217": "strategy limit_per_tenant: waiting 16777217: want 0 " +
			"to 16777216",
	})
}

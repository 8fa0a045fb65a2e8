package peers_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bytedance/gopkg/util/gopool"
)

var gopoolFaults = []fault{
	{
		name: "gopool_cap", upstream: "pull/231", module: gopoolModule, version: "v0.1.4",
		finding: "concurrent submitters start more workers than the limit",
		clause:  "gopool: Bound",
		show: func(*testing.T) {
			meet(func() crowd {
				pool, hold := gopool.NewPool("", 1, gopool.NewConfig()), make(chan struct{})
				return crowd{
					enter: func() { pool.Go(func() { <-hold }) },
					both:  func() bool { return pool.WorkerCount() > 1 },
					clear: func() { close(hold) },
				}
			})
		},
		want: "two at once",
	},
	{
		name: "gopool_goexit", module: gopoolModule, version: "v0.1.4",
		finding: "Goexit in a task costs a worker for good",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				pool := gopool.NewPool("", 2, gopool.NewConfig())
				pool.Go(runtime.Goexit)
				pool.Go(runtime.Goexit)
				time.Sleep(time.Hour)
				ran := false
				pool.Go(func() { ran = true })
				time.Sleep(time.Hour)
				if !ran {
					shown("a pool of 2 is dead after 2 Goexits")
				}
			})
		},
		want: "a pool of 2 is dead after 2 Goexits",
	},
}

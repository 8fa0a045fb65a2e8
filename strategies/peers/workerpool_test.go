package peers_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gammazero/workerpool"
)

var workerpoolFaults = []fault{
	{
		name: "workerpool_panic", module: workerpoolModule, version: "v1.3.0",
		finding: "a panic in a task crashes the process (documented)",
		show: func(*testing.T) {
			pool := workerpool.New(1)
			_ = pool.Do(func() { panic("of a task") })
			pool.StopWait()
		},
		want: "panic: of a task",
	},
	{
		name: "workerpool_stop", module: workerpoolModule, version: "v1.3.0",
		finding: "Stop silently drops accepted tasks (documented)",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				pool := workerpool.New(1)
				accepted, ran := 0, 0
				for range 10 {
					if pool.Do(func() { time.Sleep(time.Second); ran++ }) == nil {
						accepted++
					}
				}
				pool.Stop()
				if ran < accepted {
					shown("%d of %d accepted tasks ran", ran, accepted)
				}
			})
		},
		want: "1 of 10 accepted tasks ran",
	},
	{
		name: "workerpool_goexit", module: workerpoolModule, version: "v1.3.0",
		finding: "Goexit in a task costs a worker for good, and Stop then hangs",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				pool := workerpool.New(1)
				_ = pool.Do(runtime.Goexit)
				ran, stopped := false, false
				_ = pool.Do(func() { ran = true })
				time.Sleep(time.Hour)
				go func() { pool.Stop(); stopped = true }()
				time.Sleep(time.Hour)
				if !ran || !stopped {
					shown("ran: %v, stopped: %v", ran, stopped)
				}
			})
		},
		want: "ran: false, stopped: false",
	},
	{
		name: "workerpool_contract", module: workerpoolModule, version: "v1.3.0",
		finding: "so a task that ends with ErrGoexit costs the peer a slot",
		clause:  "workerpool: Panic",
		show:    func(t *testing.T) { breaks(t, "workerpool", "Panic") },
		want:    "task 1, which called runtime.Goexit, is not done",
	},
}

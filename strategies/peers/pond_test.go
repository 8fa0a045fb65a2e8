package peers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/alitto/pond/v2"
)

var pondFaults = []fault{
	{
		name: "pond_subpool", module: pondModule, version: "v2.7.1",
		finding: "a sub-pool of a full pool that does not block loses the task, and its " +
			"StopAndWait hangs",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				parent := pond.NewPool(1, pond.WithNonBlocking(true), pond.WithQueueSize(0))
				sub := parent.NewSubpool(1)
				_ = parent.Go(func() { time.Sleep(time.Second) })
				ran := false
				if err := sub.Go(func() { ran = true }); err != nil {
					return
				}
				stopped := false
				go func() { sub.StopAndWait(); stopped = true }()
				time.Sleep(time.Hour)
				if !ran {
					shown("accepted, ran: %v, stopped: %v", ran, stopped)
				}
			})
		},
		want: "accepted, ran: false, stopped: false",
	},
	{
		name: "pond_panic", module: pondModule, version: "v2.7.1",
		finding: "Go swallows a panic: there is no handler and no message, only a count",
		show: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				pool := pond.NewPool(1)
				if err := pool.Go(func() { panic("nobody will know") }); err != nil {
					return
				}
				synctest.Wait()
				shown("%d failed", pool.FailedTasks())
			})
		},
		want: "1 failed",
	},
	{
		name: "pond_bubbles", module: pondModule, version: "v2.7.1",
		finding: "Stop uses a global pool of the package, so a second synctest bubble in the " +
			"process crashes it",
		show: func(t *testing.T) {
			for range 2 {
				synctest.Test(t, func(*testing.T) {
					pool := pond.NewPool(1)
					_ = pool.Go(func() {})
					pool.StopAndWait()
				})
			}
		},
		want: "synctest",
	},
}

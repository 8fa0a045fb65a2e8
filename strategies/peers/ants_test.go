package peers_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/panjf2000/ants/v2"
)

var antsFaults = []fault{
	{
		name: "ants_import", module: antsModule, version: "v2.12.1",
		finding: "importing it starts two goroutines that never end",
		show: func(*testing.T) {
			if n := goroutinesOf(antsModule); n > 0 {
				shown("%d goroutines of ants and no pool", n)
			}
		},
		want: "2 goroutines of ants and no pool",
	},
	{
		name: "ants_handler", module: antsModule, version: "v2.12.1",
		finding: "the panic handler runs outside the limit",
		show: func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var busy atomic.Int64
				stay := func() { busy.Add(1); select {} }
				pool, err := ants.NewPool(1, ants.WithPanicHandler(func(any) { stay() }))
				if err != nil {
					t.Fatal(err)
				}
				for _, task := range []func(){func() { panic(1) }, func() { panic(2) }, stay} {
					go func() { _ = pool.Submit(task) }()
					synctest.Wait()
				}
				if n := busy.Load(); n > 1 {
					shown("%d tasks and handlers at once in a pool of 1", n)
				}
				shown("gone")
			})
		},
		want: "3 tasks and handlers at once in a pool of 1",
	},
	{
		name: "ants_multipool", module: antsModule, version: "v2.12.1",
		finding: "a MultiPool is not work-conserving: behind one long task, short ones take 127 " +
			"ms instead of 73 ms",
		show: func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool, err := ants.NewMultiPool(4, 2, ants.RoundRobin)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				var last atomic.Int64
				for i := range 512 {
					err := pool.Submit(func() {
						if i == 0 {
							time.Sleep(time.Second)
							return
						}
						time.Sleep(time.Millisecond)
						last.Store(max(last.Load(), int64(time.Since(start))))
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(2 * time.Second)
				if took := time.Duration(last.Load()); took > 73*time.Millisecond {
					shown("the last of 511 tasks of 1ms was done at %v", took)
				}
				shown("gone")
			})
		},
		want: "the last of 511 tasks of 1ms was done at 127ms",
	},
}

package strategytest

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func boundHolds(r *rig) error {
	for _, j := range r.jobs(4*(r.bound()+r.p.Queue), lasts(time.Millisecond)) {
		r.spawn(func() { _ = r.submit(context.Background(), j) })
	}
	r.rest(horizon)
	return r.underBound()
}

// boundHoldsInBursts finds a bound that is not checked and taken atomically.
func boundHoldsInBursts(r *rig) error {
	for range 40 {
		fresh := newRig(r.scene, r.spec, r.p)
		start := make(chan struct{})
		for _, j := range fresh.jobs(64, yield) {
			fresh.spawn(func() {
				<-start
				_ = fresh.submit(context.Background(), j)
			})
		}
		close(start)
		r.rest(horizon)
		if err := fresh.underBound(); err != nil {
			return err
		}
		fresh.endNew() // a ticker of the instance would keep the virtual clock busy
	}
	return nil
}

// yield lets other goroutines run while virtual time stands still.
func yield(context.Context) strategies.Result {
	for range 3 {
		runtime.Gosched()
	}
	return strategies.Result{}
}

func (r *rig) underBound() error {
	if peak := int(r.peak.Load()); peak > r.bound() {
		return fmt.Errorf("%d tasks ran at once, where the bound is %d", peak, r.bound())
	}
	return nil
}

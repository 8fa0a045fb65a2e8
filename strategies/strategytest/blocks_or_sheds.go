package strategytest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

const many = 300

func acceptsUntilFull(r *rig) error {
	release := make(chan struct{})
	in, last := r.fill(min(r.capacity(), many), r.held(release))
	if last != nil {
		return fmt.Errorf("full with %d tasks, where the capacity is %d: %s", len(in),
			r.capacity(), last)
	}
	if r.spec.Capacity == nil {
		return nil
	}
	_, last = r.fill(many, r.held(release))
	switch {
	case last == nil:
		return nil // it accepts more than it declares, which the clause Memory reports
	case r.spec.Sheds && !errors.Is(last.err(), strategies.ErrShed):
		return fmt.Errorf("full, and declared to shed, but: %s", last)
	case !r.spec.Sheds && last.isOver():
		return fmt.Errorf("full, and declared to block, but: %s", last)
	}

	release <- struct{}{}
	if r.spec.Stages != nil { // the stages after the work take time
		time.Sleep(horizon)
	}
	synctest.Wait()
	if r.spec.Sheds {
		last = r.call(context.Background(), r.jobs(1, r.held(release))[0])
	}
	if !last.accepted() {
		return fmt.Errorf("a task was done, but there is no room for the next: %s", last)
	}
	return nil
}

// A new instance must accept tasks although its workers may not have started.
func acceptsFromTheFirstInstant(r *rig) error {
	for range 50 {
		fresh := newRig(r.scene, r.spec, r.p)
		jobs := fresh.jobs(min(r.capacity(), 64), fresh.held(nil))
		r.step("a new instance is filled to its capacity of %d", r.capacity())
		for i, j := range jobs {
			if err := fresh.submit(context.Background(), j); err != nil {
				return fmt.Errorf("a new instance refused task %d, where its capacity is %d: %w",
					i+1, r.capacity(), err)
			}
		}
	}
	return nil
}

func countsWhatItSheds(r *rig) error {
	if r.spec.Capacity == nil || !r.spec.Sheds {
		return nil
	}
	release := make(chan struct{})
	var accepted, other atomic.Int64
	jobs := r.jobs(64*4, r.held(release))
	r.step("64 producers offer 4 tasks each, which a strategy that sheds must not block")
	r.together(64, func(first int) {
		for i := first; i < len(jobs); i += 64 {
			switch err := r.submit(context.Background(), jobs[i]); {
			case err == nil:
				accepted.Add(1)
			case !errors.Is(err, strategies.ErrShed):
				other.Add(1)
			}
		}
	})
	if n := int(accepted.Load()); n < r.capacity() {
		return fmt.Errorf("%d of %d tasks were accepted and the others shed, where the capacity "+
			"is %d", n, len(jobs), r.capacity())
	}
	if n := other.Load(); n > 0 {
		return fmt.Errorf("%d tasks were refused with another error than ErrShed", n)
	}
	return nil
}

// After so many consecutive failures a strategy with Spec.Trips must refuse the next task.
const tripping = 300

func tripsAsDeclared(r *rig) error {
	if r.spec.Ends {
		return nil // a failure ends all other tasks
	}
	shed := 0
	r.step("%d tasks fail, one after another", tripping)
	for _, j := range r.jobs(tripping, returns(strategies.Result{Err: errOwn})) {
		err := r.submit(context.Background(), j)
		if err == nil {
			<-j.done
			err = j.outcome.Err
		}
		if errors.Is(err, strategies.ErrShed) {
			shed++
		}
	}
	switch {
	case r.spec.Trips && shed == 0:
		return fmt.Errorf("%d tasks failed and none was refused, but it declares Trips",
			tripping)
	case !r.spec.Trips && shed > 0:
		return fmt.Errorf("%d tasks failed, one at a time, and %d were shed: it trips, but does "+
			"not declare Trips", tripping, shed)
	}
	return nil
}

func hasRoomOnDone(r *rig) error {
	var shed atomic.Int64
	r.step("clients submit on Done")
	r.together(min(r.capacity(), 16), func(int) {
		for _, j := range r.jobs(50, yield) {
			if err := r.submit(context.Background(), j); err != nil {
				shed.Add(1)
				return
			}
			<-j.done
		}
	})
	if n := shed.Load(); n > 0 {
		return fmt.Errorf("%d of %d clients were refused when they submitted on Done", n,
			min(r.capacity(), 16))
	}
	r.rest(horizon)
	return nil
}

package strategytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func (r *rig) refusesAsClosed(when string) error {
	c := r.call(context.Background(), r.jobs(1, returnAtOnce)[0])
	if !errors.Is(c.err(), strategies.ErrClosed) {
		return fmt.Errorf("%s: %s", when, c)
	}
	return withSubject(when, c.untouched())
}

func closedWhileAndAfterDraining(r *rig) error {
	r.call(context.Background(), r.jobs(1, lasts(time.Second))[0])
	r.drain(context.Background())
	if err := r.refusesAsClosed("while Drain waits"); err != nil {
		return err
	}
	r.rest(horizon)
	return r.refusesAsClosed("after Drain")
}

func closedToTheBlocked(r *rig) error {
	r.fill(r.capacity(), lasts(time.Second))
	var blocked []*call
	for _, j := range r.jobs(3, returnAtOnce) {
		if c := r.call(context.Background(), j); !c.isOver() {
			blocked = append(blocked, c)
		}
	}
	r.drain(context.Background())
	for _, c := range blocked {
		switch {
		case !c.isOver():
			return errors.New("a Submit that was blocked when Drain was called still blocks")
		case !errors.Is(c.err(), strategies.ErrClosed):
			return fmt.Errorf("blocked when Drain was called: %s", c)
		}
	}
	r.rest(horizon)
	for _, c := range blocked {
		if err := c.untouched(); err != nil {
			return fmt.Errorf("blocked when Drain was called: %w", err)
		}
	}
	return nil
}

func closedAfterNewsContext(r *rig) error {
	r.call(context.Background(), r.jobs(1, lasts(time.Second))[0])
	r.endNew()
	synctest.Wait()
	if err := r.refusesAsClosed("New's context has ended, and a task still runs"); err != nil {
		return err
	}
	r.rest(horizon)
	return r.refusesAsClosed("New's context has ended")
}

func closedFromTheBeginning(r *rig) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late := newRigIn(ctx, r.scene, r.spec, r.p)
	synctest.Wait()
	if err := late.refusesAsClosed("New's context had ended before"); err != nil {
		return err
	}
	if d := late.drain(context.Background()); !d.isOver() || d.err() != nil {
		return fmt.Errorf("drained, when New's context had ended before: returned: %v, error %v",
			d.isOver(), d.err())
	}
	return nil
}

func submitRacesDrain(r *rig) error {
	const most = 50
	notSubmitted := errors.New("not submitted")
	for range 50 {
		fresh := newRig(r.scene, r.spec, r.p)
		jobs := fresh.jobs(4*most, yield)
		results := slices.Repeat([]error{notSubmitted}, len(jobs))
		var producers sync.WaitGroup
		for first := range 4 {
			producers.Go(func() {
				r.guard(func() {
					for i := first; i < len(jobs); i += 4 {
						results[i] = fresh.submit(context.Background(), jobs[i])
						if errors.Is(results[i], strategies.ErrClosed) {
							return
						}
					}
				})
			})
		}
		r.step("Drain races Submit")
		if err := fresh.s.Drain(context.Background()); err != nil {
			return fmt.Errorf("drained while tasks were submitted: %w", err)
		}
		var done [4 * most]bool
		for i, j := range jobs {
			done[i] = j.isDone()
		}
		producers.Wait()
		for i, j := range jobs {
			err := results[i]
			switch {
			case err == notSubmitted || errors.Is(err, strategies.ErrShed):
				err = nil
			case errors.Is(err, strategies.ErrClosed):
				err = j.untouched()
			case err == nil && !done[i]:
				err = errors.New("accepted, and not done when Drain returned")
			}
			if err != nil {
				return fmt.Errorf("submitted while Drain was called: task %d: %w", j.name, err)
			}
		}
	}
	return nil
}

package strategytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func drainFinishes(r *rig) error {
	in, _ := r.fill(min(r.capacity(), 60), lasts(2*time.Millisecond))
	drains := []*call{r.drain(context.Background()), r.drain(context.Background()),
		r.drain(context.Background())}
	r.rest(horizon)
	if err := allCompleted(in); err != nil {
		return withSubject("drained without a deadline", err)
	}
	last := lastEnd(in)
	for _, d := range drains {
		switch {
		case !d.isOver():
			return fmt.Errorf("all tasks were done at %v, and Drain has not returned", last)
		case d.err() != nil:
			return fmt.Errorf("drained without a deadline: %w", d.err())
		case d.at != last:
			return fmt.Errorf("the last task was done at %v, and Drain returned at %v", last, d.at)
		}
	}
	again := r.drain(context.Background())
	if !again.isOver() || again.err() != nil {
		return fmt.Errorf("a second Drain: returned %v, error %v", again.isOver(), again.err())
	}
	return nil
}

// deadline lies between the ends of two rounds of 2 ms tasks.
const deadline = 9 * time.Millisecond

// drainPast returns when the Drain should have returned. Tasks started before the deadline count as
// running.
func (r *rig) drainPast(n int, do act) (in []*job, d *call) {
	in, _ = r.fill(min(r.capacity(), n), do)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	r.finally(cancel)
	d = r.drain(ctx)
	r.rest(deadline + strategies.DrainGrace)
	return in, d
}

func drainCancels(r *rig) error {
	in, d := r.drainPast(20, lastsUnlessCancelled(time.Second))
	if err := queuedAbandoned(in); err != nil {
		return err
	}
	for _, j := range started(in) {
		switch {
		case !j.isDone():
			return errors.New("the deadline of Drain has ended, and a running task was not " +
				"cancelled")
		case !errors.Is(j.outcome.Err, strategies.ErrAbandoned):
			return fmt.Errorf("the deadline of Drain has ended, and the cause that a running "+
				"task saw was %v", j.outcome.Err)
		}
	}
	return d.checkDrainError(deadline, in, 0)
}

func drainAbandons(r *rig) error {
	in, d := r.drainPast(60, lasts(2*time.Millisecond))
	if err := allCompleted(started(in)); err != nil {
		return withSubject("running when Drain's deadline ended", err)
	}
	last := lastEnd(started(in))
	cut := r.spec.Stages != nil && last == deadline // the deadline ended the stages of the last
	if len(started(in)) == len(in) && last <= deadline && !cut {
		if !d.isOver() || d.err() != nil || d.at != last {
			return fmt.Errorf("all tasks were done at %v, before the deadline; Drain returned: "+
				"%v, error %v", last, d.isOver(), d.err())
		}
		return nil
	}
	if err := queuedAbandoned(in); err != nil {
		return err
	}
	return d.checkDrainError(max(last, deadline), in, 0)
}

func drainGivesUp(r *rig) error {
	in, d := r.drainPast(20, lasts(time.Second))
	if err := queuedAbandoned(in); err != nil {
		return err
	}
	running := 0
	for _, j := range in {
		if !j.isDone() {
			running++
		}
	}
	if err := d.checkDrainError(deadline+strategies.DrainGrace, in, running); err != nil {
		return err
	}
	r.rest(horizon)
	if err := allCompleted(started(in)); err != nil {
		return withSubject("ignored the cancellation by Drain and returned later", err)
	}
	return r.leftover()
}

func queuedAbandoned(in []*job) error {
	for _, j := range in {
		switch {
		case j.starts.Load() > 0:
		case !j.isDone():
			return fmt.Errorf("the deadline of Drain has ended, and task %d, which was queued, "+
				"was never done", j.name)
		case !errors.Is(j.outcome.Err, strategies.ErrAbandoned):
			return fmt.Errorf("the deadline of Drain has ended, and task %d, which was queued, "+
				"was done with: %v", j.name, j.outcome.Err)
		case j.end() != deadline:
			return fmt.Errorf("the deadline of Drain ended at %v, and task %d, which was queued, "+
				"was done at %v", deadline, j.name, j.end())
		}
	}
	return nil
}

func (d *call) checkDrainError(at time.Duration, in []*job, running int) error {
	abandoned := len(in) - len(started(in))
	var e *strategies.DrainError
	switch {
	case !d.isOver():
		return fmt.Errorf("a Drain whose deadline ended at %v has not returned at %v", deadline, at)
	case !errors.As(d.err(), &e):
		return fmt.Errorf("a Drain whose deadline ended at %v returned %v instead of a *DrainError",
			deadline, d.err())
	case d.at != at:
		return fmt.Errorf("a Drain whose deadline ended at %v returned at %v instead of %v",
			deadline, d.at, at)
	case e.Abandoned != abandoned || e.Running != running ||
		!errors.Is(e.Cause, context.DeadlineExceeded):
		return fmt.Errorf("after %[2]d tasks that never ran, with %[3]d that still run, Drain "+
			"returned %[1]q", e, abandoned, running)
	}
	return nil
}

// drainLeavesNothing checks that no goroutines remain. If do is nil, the instance is unused.
func drainLeavesNothing(do act) func(*rig) error {
	return func(r *rig) error {
		if do != nil {
			r.fill(min(r.capacity(), 20), do)
		}
		d := r.drain(context.Background())
		r.rest(warmUp)
		if !d.isOver() {
			return nil // a slot was lost, which the clause Panic reports
		}
		if d.err() != nil {
			return fmt.Errorf("drained when nothing was left to do: %w", d.err())
		}
		return r.leftover()
	}
}

// leftover returns an error with the stacks of goroutines that do not belong to the check.
func (s *scene) leftover() error {
	if left := s.goroutines(); len(left) > 0 {
		return fmt.Errorf("after Drain %d goroutines are left, the first of them:\n%s",
			len(left), left[0])
	}
	return nil
}

func (s *scene) goroutines() (stacks []string) {
	synctest.Wait()
	var dump bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&dump, 2) // a write to a bytes.Buffer cannot fail
	all := strings.Split(dump.String(), "\n\n")
	_, label, _ := strings.Cut(all[0], "synctest bubble ") // the first stack is that of the caller
	label, _, _ = strings.Cut(label, "]")
	for _, stack := range all[1:] {
		head, frames, _ := strings.Cut(stack, "\n")
		carrier := strings.Contains(frames, "internal/synctest.Run(") ||
			strings.Contains(frames, "testing.tRunner(") ||
			strings.Contains(frames, "testing/synctest.testingSynctestTest(")
		if strings.HasSuffix(head, "synctest bubble "+label+"]:") && !carrier {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

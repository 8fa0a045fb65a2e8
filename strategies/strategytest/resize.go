package strategytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func resizable(check func(*rig, strategies.Resizer) error) func(*rig) error {
	return func(r *rig) error {
		s, can := r.s.(strategies.Resizer)
		if !r.spec.Resizes || !can {
			return nil
		}
		return check(r, s)
	}
}

func resizesAsDeclared(r *rig) error {
	s, can := r.s.(strategies.Resizer)
	if can != r.spec.Resizes {
		return fmt.Errorf("it declares that it resizes: %v, and has the method: %v", r.spec.Resizes,
			can)
	}
	if !can {
		return nil
	}
	for _, limit := range []int{-1, 0, r.p.Limit + 1} {
		if s.Resize(limit) == nil {
			return fmt.Errorf("Resize(%d) was accepted, where the limit that it was made with is %d",
				limit, r.p.Limit)
		}
	}
	in, _ := r.fill(min(r.capacity(), r.p.Limit), r.held(nil))
	r.rest(warmUp)
	if n := int(r.running.Load()); n != len(in) {
		return fmt.Errorf("after limits that were refused %d of %d tasks run at a limit of %d", n,
			len(in), r.p.Limit)
	}
	return nil
}

func resizesBothWays(r *rig, s strategies.Resizer) error {
	const small = 3
	release, most := make(chan struct{}), r.p.Limit
	for _, j := range r.jobs(4*most, r.held(release)) {
		r.call(context.Background(), j)
	}
	r.rest(warmUp)
	runs := func(when string, want int) error {
		synctest.Wait()
		if n := int(r.running.Load()); n != want {
			return fmt.Errorf("%s %d tasks run, want %d", when, n, want)
		}
		return nil
	}
	if err := errors.Join(runs("at first", most), s.Resize(small),
		runs("right after a smaller limit", most)); err != nil {
		return err
	}
	for ended := range most {
		release <- struct{}{}
		if err := runs(fmt.Sprintf("%d slots have become %d, and %d tasks have ended:", most, small,
			ended+1), max(most-ended-1, small)); err != nil {
			return err
		}
	}
	return errors.Join(s.Resize(most), runs("right after a larger limit", most))
}

func losesNoTask(r *rig, s strategies.Resizer) error {
	random := rand.New(rand.NewPCG(3, 4))
	jobs := r.jobs(600, nil)
	for _, j := range jobs {
		j.do = lasts(time.Duration(random.IntN(2000)) * time.Microsecond)
	}
	r.step("4 producers offer 600 tasks while the limit changes")
	var offering sync.WaitGroup
	refused := make([]error, 4)
	for i := range refused {
		offering.Go(func() {
			r.guard(func() { refused[i] = r.offer(jobs[150*i : 150*(i+1)]) })
		})
	}
	for range 300 {
		limit := 1 + random.IntN(r.p.Limit)
		if err := s.Resize(limit); err != nil {
			return fmt.Errorf("Resize(%d): %w", limit, err)
		}
		r.rest(2*time.Millisecond + time.Microsecond/2) // longer than any task
		running, waiting := int(r.running.Load()), int(r.waiting.Load())
		if running > limit || waiting > 0 && running < limit {
			return fmt.Errorf("2 ms after Resize(%d), %d tasks run and %d wait", limit, running,
				waiting)
		}
	}
	r.rest(horizon)
	offering.Wait()
	return cmp.Or(cmp.Or(refused...), allCompleted(jobs))
}

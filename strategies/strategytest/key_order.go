package strategytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func keepsKeyOrder(r *rig) error {
	const keys = 7
	random := rand.New(rand.NewPCG(1, 7))
	var wrong error
	lock := make(chan struct{}, 1) // a mutex whose wait is durably blocking for synctest
	running, last := map[int32]int{}, map[int32]int{}
	start := func(key int32, task int) {
		lock <- struct{}{}
		defer func() { <-lock }()
		running[key]++
		switch {
		case key < 0 || wrong != nil:
			return
		case running[key] > 1:
			wrong = fmt.Errorf("%d tasks of key %d run at once", running[key], key)
		case task < last[key]:
			wrong = fmt.Errorf("task %d of key %d starts after task %d of that key", task, key,
				last[key])
		}
		last[key] = task
	}
	end := func(key int32) {
		lock <- struct{}{}
		running[key]--
		<-lock
	}
	jobs := r.jobs(300, nil)
	for i, j := range jobs {
		j.Tenant = int32(random.IntN(keys+1) - 1)
		length := time.Duration(1+random.IntN(9)) * time.Millisecond
		j.do = func(context.Context) strategies.Result {
			start(j.Tenant, i)
			time.Sleep(length)
			end(j.Tenant)
			return strategies.Result{}
		}
	}
	r.step("one producer offers 300 tasks of %d keys", keys)
	if err := r.offer(jobs); err != nil {
		return err
	}
	r.rest(horizon)
	if wrong != nil {
		return wrong
	}
	return allCompleted(jobs)
}

// busyKeyHoldsNoSlot submits more tasks of one key than there are slots, and then a task of another
// key, which must start.
func busyKeyHoldsNoSlot(r *rig) error {
	bound := r.bound()
	if bound < 2 || r.capacity() < bound+1 {
		return nil
	}
	release := make(chan struct{})
	jobs := r.jobs(bound+1, r.held(release))
	r.step("%d tasks of one key and one of another are submitted", bound)
	for i, j := range jobs {
		j.Tenant = 1
		if i == bound {
			j.Tenant = 2
		}
		if c := r.call(context.Background(), j); !c.accepted() {
			return fmt.Errorf("with room for %d tasks, %s", r.capacity(), c)
		}
	}
	r.rest(warmUp)
	begun := started(jobs)
	close(release)
	synctest.Wait()
	r.rest(warmUp)
	if len(begun) != 2 || begun[1] != jobs[bound] {
		return fmt.Errorf("of %d tasks of one key and one of another, %d run in %d slots: want the "+
			"first of each key", bound, len(begun), bound)
	}
	return allCompleted(jobs)
}

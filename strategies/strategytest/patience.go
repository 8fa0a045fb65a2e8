package strategytest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// fewCallers give up in the clause Context. GiveUps allows more callers.
const fewCallers = 1000

// GiveUps returns an error if cancelled Submits leave something behind in an instance of spec. Rare
// faults need about 100,000 callers, which take one second.
func GiveUps(spec strategies.Spec, callers int) error {
	return try(spec, trial{[]int{4}, []int{0, 8}, when(blocks, leavesNoReservation(callers))})
}

// Many callers wait at a full instance and give up after at most 9.7 ms, while tasks of 5 ms end.
// Afterwards the instance must have the room and speed of a new one.
func leavesNoReservation(callers int) func(*rig) error {
	return func(r *rig) error {
		if r.capacity() > many {
			return nil // almost no caller would wait
		}
		room, took, err := newRig(r.scene, r.spec, r.p).roomAndPace()
		if err != nil {
			return nil // a new instance fails already, which other clauses report
		}
		wave := r.capacity() + 64
		for done := 0; done < callers; done += wave {
			if err := r.giveUp(wave); err != nil {
				return err
			}
		}
		r.rest(warmUp)
		hasRoom, takes, err := r.roomAndPace()
		switch {
		case err != nil:
			return withSubject(fmt.Sprintf("after %d callers, most of whom gave up", callers), err)
		case hasRoom != room:
			return fmt.Errorf("after %d callers, most of whom gave up, there is room for %d tasks; a "+
				"new instance has room for %d", callers, hasRoom, room)
		case takes > took+time.Second:
			return fmt.Errorf("after %d callers, most of whom gave up, the next tasks take %v; with a "+
				"new instance %v", callers, takes, took)
		}
		return nil
	}
}

func (r *rig) giveUp(callers int) error {
	r.step("callers wait that give up")
	jobs, refused := r.jobs(callers, lasts(5*time.Millisecond)), make([]error, callers)
	var waiting sync.WaitGroup
	var hangUp [97]context.CancelFunc // callers give up at one of 97 times
	var until [97]context.Context
	for i := range until {
		until[i], hangUp[i] = context.WithCancel(context.Background())
	}
	for i, j := range jobs {
		waiting.Go(func() {
			r.guard(func() { refused[i] = r.submit(until[i*7919%len(until)], j) })
		})
	}
	for _, end := range hangUp {
		time.Sleep(100 * time.Microsecond)
		end()
	}
	waiting.Wait()
	for i, j := range jobs {
		if refused[i] != nil {
			if err := j.untouched(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-j.done:
		case <-time.After(time.Minute):
		}
		if err := j.completed(); err != nil {
			return withSubject("while callers give up", err)
		}
	}
	return nil
}

func (r *rig) roomAndPace() (room int, took time.Duration, err error) {
	release := make(chan struct{})
	in, _ := r.fill(r.capacity()+1, r.held(release)) // one more than the capacity
	close(release)
	r.rest(warmUp)
	if err := allCompleted(in); err != nil {
		return 0, 0, err
	}
	r.step("tasks are submitted to an empty instance")
	begin, next := r.clock(), r.jobs(32, lasts(time.Millisecond))
	if err := r.offer(next); err != nil {
		return 0, 0, err
	}
	r.rest(time.Minute)
	return len(in), lastEnd(next) - begin, allCompleted(next)
}

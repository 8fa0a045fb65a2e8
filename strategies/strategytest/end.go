package strategytest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Panic runs, with one slot, a task that panics and a task that ends its goroutine.
func Panic(spec strategies.Spec) error {
	return durably(spec, 1, nil, func(x *instance) error {
		x.do = func(_ context.Context, id uint64) strategies.Result {
			switch id {
			case 1:
				panic("a task that panics")
			case 3:
				runtime.Goexit()
			}
			return strategies.Result{}
		}
		if err := x.submit(0, 10); err != nil {
			return err
		}
		err := x.waitUntil("10 tasks are done", func() bool { return len(x.dones) == 10 })
		if err != nil {
			return err
		}
		x.mu.Lock()
		panicked, goexit := x.results[1].Err, x.results[3].Err
		x.results[1], x.results[3] = strategies.Result{}, strategies.Result{}
		x.mu.Unlock()
		if _, ok := errors.AsType[*strategies.PanicError](panicked); !ok {
			return fmt.Errorf("the task that panicked was done with %v", panicked)
		}
		if !errors.Is(goexit, strategies.ErrGoexit) {
			return fmt.Errorf("the task that ended its goroutine was done with %v", goexit)
		}
		if err := x.awaitDone(10, onceEach, noError); err != nil {
			return err
		}
		return x.checkDeadLetters(2)
	})
}

// Order checks that with one slot tasks start in order of acceptance, if the Spec declares it.
func Order(spec strategies.Spec) error {
	if !spec.FIFO {
		return nil
	}
	const n = 60
	return durably(spec, 1, nil, func(x *instance) error {
		if err := x.submit(0, n); err != nil {
			return err
		}
		if err := x.awaitDone(n, onceEach, noError); err != nil {
			return err
		}
		if order := x.snapshot().order; !slices.IsSorted(order) {
			return fmt.Errorf("tasks 0 to %d started in the order %v", n-1, order)
		}
		return nil
	})
}

// Kept ends an instance with running and waiting tasks: by New's context, and by the deadline of a
// Drain. The next instance must run them all.
func Kept(spec strategies.Spec) error {
	const limit, n = 2, 30
	for _, end := range []func(x *instance){
		func(x *instance) { x.endNew() },
		func(x *instance) {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = x.s.Drain(ended) // the clause Drain checks its error
		},
	} {
		first := resumed(spec, newQueue())
		if first == nil {
			return nil
		}
		if err := durably(spec, limit, first, func(x *instance) error {
			if err := x.hold(n); err != nil {
				return err
			}
			end(x)
			return x.waitUntil("all tasks are done", func() bool { return len(x.dones) == n })
		}); err != nil {
			return err
		}
		next := &strategies.Resume{Name: first.Name, Remove: true}
		if err := durably(spec, limit, next, allOf(n)); err != nil {
			return err
		}
	}
	return nil
}

func allOf(n int) func(*instance) error {
	return func(x *instance) error {
		if err := x.awaitDone(n, onceEach, noError); err != nil {
			return err
		}
		return x.drainWithoutError()
	}
}

func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// Killed kills a process with running and waiting tasks. The next process must run them all.
func Killed(spec strategies.Spec, queue string, ended int) error {
	const limit, n = 2, 40
	first := resumed(spec, queue)
	switch {
	case first == nil && ended == 0:
		die()
	case first == nil:
		return nil
	case ended == 0:
		return durably(spec, limit, first, func(x *instance) error {
			x.do = func(context.Context, uint64) strategies.Result { select {} }
			if err := x.submit(0, n); err != nil {
				return err
			}
			err := x.reachesLimit()
			if err == nil {
				die()
			}
			return err
		})
	}
	return durably(spec, limit, &strategies.Resume{Name: queue, Remove: true}, allOf(n))
}

// poisonAttempts is the default number of attempts, and so the number of processes a task may kill.
const poisonAttempts = 3

// Some brokers record deliveries with a delay (JetStream: 100 ms).
const poisonDelay = time.Second

// Poison runs a task that kills each process that runs it. It must become a dead letter, and the
// other tasks must be done.
func Poison(spec strategies.Spec, queue string, ended int) error {
	const poison, n = 2, 12
	resume := resumed(spec, queue)
	switch {
	case resume == nil && ended < poisonAttempts:
		die()
	case resume == nil:
		return nil
	}
	resume.Remove = ended == poisonAttempts
	all := make(chan struct{}) // closed when all tasks have been submitted
	do := func(_ context.Context, id uint64) strategies.Result {
		if id == poison {
			<-all
			time.Sleep(poisonDelay)
			die()
		}
		return strategies.Result{}
	}
	return durablyDoing(spec, 1, resume, do, func(x *instance) error {
		if ended == 0 {
			if err := x.submit(0, n); err != nil {
				return err
			}
		}
		close(all)
		if ended < poisonAttempts {
			return x.waitUntil("the task has killed the process", func() bool { return false })
		}
		if err := x.waitUntil("the task is done that killed each process", func() bool {
			return x.dones[poison] > 0
		}); err != nil {
			return fmt.Errorf("%w; tasks %v came", err, x.snapshot().order)
		}
		if err := x.snapshot().results[poison].Err; !errors.Is(err, strategies.ErrExhausted) {
			return fmt.Errorf("the task that killed each process was done with %v", err)
		}
		return x.drainWithoutError()
	})
}

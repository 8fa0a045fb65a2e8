package builtin_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func sleepUnlessCancelled(ctx context.Context, t *strategies.Task) strategies.Result {
	timer := time.NewTimer(t.Arg.(time.Duration))
	defer timer.Stop()
	select {
	case <-timer.C:
		return strategies.Result{}
	case <-ctx.Done():
		return strategies.Result{Err: context.Cause(ctx)}
	}
}

func TestErrgroupCancelsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		fails := func(context.Context, *strategies.Task) strategies.Result {
			time.Sleep(5 * time.Millisecond)
			return strategies.Result{Err: boom}
		}
		steps := 0
		step := func(context.Context, *strategies.Task) strategies.Result {
			steps++
			time.Sleep(2 * time.Millisecond)
			return strategies.Result{More: steps < 100}
		}
		tasks := map[string]*strategies.Task{
			"fails":               {Run: fails},
			"heeds its context":   {Run: sleepUnlessCancelled, Arg: time.Second},
			"ignores its context": {Run: sleep, Arg: 20 * time.Millisecond},
			"has steps left":      {Run: step},
			"comes later":         {Run: sleepUnlessCancelled, Arg: time.Second},
			"comes later, deaf":   {Run: sleep, Arg: time.Millisecond},
			"comes later, steps":  {Run: step},
		}
		log := newLog(len(tasks))
		s := startVariant(t, "errgroup", 1, 0, log)
		for _, name := range []string{"fails", "heeds its context", "ignores its context",
			"has steps left"} {
			submitAt(t, s, log, 0, tasks[name])
		}
		for _, name := range []string{"comes later", "comes later, deaf", "comes later, steps"} {
			submitAt(t, s, log, 30*time.Millisecond, tasks[name])
		}
		got := drained(t, s, log)
		for name, want := range map[string]entry{
			"fails":               {at: 5 * time.Millisecond, err: boom},
			"heeds its context":   {at: 5 * time.Millisecond, err: boom},
			"ignores its context": {at: 20 * time.Millisecond},
			"has steps left":      {at: 6 * time.Millisecond, err: context.Canceled},
			"comes later":         {at: 30 * time.Millisecond, err: boom},
			"comes later, deaf":   {at: 31 * time.Millisecond},
			"comes later, steps":  {at: 32 * time.Millisecond, err: context.Canceled},
		} {
			want.task = tasks[name]
			if got[want.task] != want {
				t.Errorf("the task that %s was done at %v with error %v, want %v, %v", name,
					got[want.task].at, got[want.task].err, want.at, want.err)
			}
		}
		if steps != 3+1 {
			t.Errorf("%d steps were run", steps)
		}
	})
}

func TestErrgroupPanicCancelsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(2)
		s := startVariant(t, "errgroup", 1, 0, log)
		beside := &strategies.Task{Run: sleepUnlessCancelled, Arg: 10 * time.Millisecond}
		submitAt(t, s, log, 0, beside)
		submitAt(t, s, log, time.Millisecond,
			&strategies.Task{
				Run: func(context.Context, *strategies.Task) strategies.Result { panic("alone") }})
		if got, want := drained(t, s, log)[beside],
			(entry{beside, 10 * time.Millisecond, nil}); got != want {
			t.Errorf("beside a panic: %v", got)
		}
	})
}

package peers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Jeffail/tunny"
	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
)

const groupLimit = 2

// A groupTask receives the context that the library passes to tasks, or else the caller's.
type groupTask = func(ctx context.Context) error

// A group runs tasks with a bare library and waits for them.
type group struct {
	name string // of the library
	how  string // the calls, as code
	run  func(ctx context.Context, tasks []groupTask) error
}

// collected serves libraries whose tasks return no error. It joins the errors.
func collected(
	ctx context.Context, tasks []groupTask, submit func(task func()) error,
) error {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for _, task := range tasks {
		wg.Add(1)
		if err := submit(func() {
			defer wg.Done()
			if err := task(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		}); err != nil {
			wg.Done()
			return err
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// weighted acquires a weighted semaphore for each task. The first error cancels its context. failed
// returns the loop's result after an error of Acquire, or nil to leave the loop and wait.
func weighted(
	ctx context.Context, tasks []groupTask, failed func(ctx context.Context, err error) error,
) error {
	sem := semaphore.NewWeighted(groupLimit)
	g, ctx := errgroup.WithContext(ctx)
	for _, task := range tasks {
		if err := sem.Acquire(ctx, 1); err != nil {
			if err = failed(ctx, err); err != nil {
				return err
			}
			break
		}
		g.Go(func() error {
			defer sem.Release(1)
			return task(ctx)
		})
	}
	return g.Wait()
}

func concErrors(p *pool.ErrorPool, ctx context.Context, tasks []groupTask) error {
	for _, task := range tasks {
		p.Go(func() error { return task(ctx) })
	}
	return p.Wait()
}

func concContext(p *pool.ContextPool, tasks []groupTask) error {
	for _, task := range tasks {
		p.Go(task)
	}
	return p.Wait()
}

var groups = []group{
	{"errgroup", "SetLimit, Go, Wait", func(ctx context.Context, tasks []groupTask) error {
		var g errgroup.Group
		g.SetLimit(groupLimit)
		for _, task := range tasks {
			g.Go(func() error { return task(ctx) })
		}
		return g.Wait()
	}},
	{"errgroup", "WithContext, SetLimit, Go, Wait", func(ctx context.Context,
		tasks []groupTask) error {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(groupLimit)
		for _, task := range tasks {
			g.Go(func() error { return task(ctx) })
		}
		return g.Wait()
	}},
	{"semaphore", "errgroup.WithContext, return the error of Acquire(ctx)",
		func(ctx context.Context, tasks []groupTask) error {
			return weighted(ctx, tasks, func(_ context.Context, err error) error { return err })
		}},
	{"semaphore", "the same, return context.Cause(ctx)",
		func(ctx context.Context, tasks []groupTask) error {
			return weighted(ctx, tasks, func(ctx context.Context, _ error) error {
				return context.Cause(ctx)
			})
		}},
	{"semaphore", "the same, break and return Wait",
		func(ctx context.Context, tasks []groupTask) error {
			return weighted(ctx, tasks, func(context.Context, error) error { return nil })
		}},
	{"semaphore", "a channel, errors in a slice", func(ctx context.Context,
		tasks []groupTask) error {
		slots := make(chan struct{}, groupLimit)
		return collected(ctx, tasks, func(task func()) error {
			slots <- struct{}{}
			go func() { defer func() { <-slots }(); task() }()
			return nil
		})
	}},
	{"conc", "WithErrors, Go, Wait", func(ctx context.Context, tasks []groupTask) error {
		return concErrors(pool.New().WithMaxGoroutines(groupLimit).WithErrors(), ctx, tasks)
	}},
	{"conc", "WithErrors, WithFirstError", func(ctx context.Context, tasks []groupTask) error {
		return concErrors(pool.New().WithMaxGoroutines(groupLimit).WithErrors().WithFirstError(),
			ctx, tasks)
	}},
	{"conc", "WithContext", func(ctx context.Context, tasks []groupTask) error {
		return concContext(pool.New().WithMaxGoroutines(groupLimit).WithContext(ctx), tasks)
	}},
	{"conc", "WithContext, WithCancelOnError", func(ctx context.Context,
		tasks []groupTask) error {
		return concContext(pool.New().WithMaxGoroutines(groupLimit).WithContext(ctx).
			WithCancelOnError(), tasks)
	}},
	{"conc", "WithContext, WithCancelOnError, WithFirstError", func(ctx context.Context,
		tasks []groupTask) error {
		return concContext(pool.New().WithMaxGoroutines(groupLimit).WithContext(ctx).
			WithCancelOnError().WithFirstError(), tasks)
	}},
	{"pond", "NewGroup, SubmitErr, Wait", func(ctx context.Context, tasks []groupTask) error {
		g := pond.NewPool(groupLimit).NewGroup()
		for _, task := range tasks {
			g.SubmitErr(func() error { return task(ctx) })
		}
		return g.Wait()
	}},
	{"pond", "the same, tasks with the group's Context", func(ctx context.Context,
		tasks []groupTask) error {
		g := pond.NewPool(groupLimit).NewGroupContext(ctx)
		for _, task := range tasks {
			g.SubmitErr(func() error { return task(g.Context()) })
		}
		return g.Wait()
	}},
	{"pond", "SubmitErr on the pool, Wait of each future", func(ctx context.Context,
		tasks []groupTask) error {
		p := pond.NewPool(groupLimit)
		var futures []pond.Task
		for _, task := range tasks {
			futures = append(futures, p.SubmitErr(func() error { return task(ctx) }))
		}
		var errs []error
		for _, f := range futures {
			errs = append(errs, f.Wait())
		}
		return errors.Join(errs...)
	}},
	{"ants", "Submit, errors in a slice", func(ctx context.Context, tasks []groupTask) error {
		p, err := ants.NewPool(groupLimit)
		if err != nil {
			return err
		}
		defer func() { _ = p.ReleaseContext(ctx) }() // fails only on a closed pool
		return collected(ctx, tasks, p.Submit)
	}},
	{"workerpool", "Submit, errors in a slice", func(ctx context.Context, tasks []groupTask) error {
		p := workerpool.New(groupLimit)
		defer p.StopWait()
		return collected(ctx, tasks, p.Do)
	}},
	{"gopool", "Go, errors in a slice", func(ctx context.Context, tasks []groupTask) error {
		p := gopool.NewPool("", groupLimit, gopool.NewConfig())
		return collected(ctx, tasks, func(task func()) error { p.Go(task); return nil })
	}},
	{"tunny", "a goroutine for each Process, which returns the error", func(ctx context.Context,
		tasks []groupTask) error {
		p := tunny.NewFunc(groupLimit, func(task any) any { return task.(groupTask)(ctx) })
		defer p.Close()
		errs := make([]error, len(tasks))
		var wg sync.WaitGroup
		for i, task := range tasks {
			wg.Go(func() { errs[i], _ = p.Process(task).(error) })
			synctest.Wait() // so that tasks start in order
		}
		wg.Wait()
		return errors.Join(errs...)
	}},
}

var (
	errFirst  = errors.New("the first error")
	errSecond = errors.New("the second error")
)

type groupResult struct {
	Name, How string
	Error     string // that the caller gets
	Running   string // the other running task, after the first error
	Waiting   string // the tasks that wait for a slot then
	Returns   string // when the caller gets the error
}

// measureGroup uses two slots. The first task fails at 10 ms, the second at 20 ms, or 1 ms after
// its context ends. Four others wait for a slot.
func measureGroup(t *testing.T, g group) (r groupResult) {
	t.Helper()
	const ms = time.Millisecond
	r.Name, r.How = g.name, g.how
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var (
			mu              sync.Mutex
			started, doomed int // of the waiting tasks; doomed: with a context that has ended
			ended           time.Duration
		)
		begin := time.Now()
		tasks := []groupTask{
			func(context.Context) error {
				time.Sleep(10 * ms)
				return errFirst
			},
			func(ctx context.Context) error {
				defer func() { ended = time.Since(begin) }()
				select {
				case <-ctx.Done():
					time.Sleep(ms)
					return ctx.Err()
				case <-time.After(20 * ms):
					return errSecond
				}
			},
		}
		const waiting = 4
		for range waiting {
			tasks = append(tasks, func(ctx context.Context) error {
				err := ctx.Err()
				mu.Lock()
				if started++; err != nil {
					doomed++
				}
				mu.Unlock()
				time.Sleep(ms)
				return err
			})
		}
		err := g.run(ctx, tasks)
		returned := time.Since(begin)
		time.Sleep(time.Second) // for tasks that the caller did not wait for
		synctest.Wait()
		r.Error, r.Returns = groupError(err), "when all have ended"
		if returned < ended {
			r.Returns = "while tasks run"
		}
		switch ended {
		case 11 * ms:
			r.Running = "cancelled"
		case 20 * ms:
			r.Running = "runs on"
		default:
			t.Errorf("%s, %s: the second task ended at %v", g.name, g.how, ended)
		}
		switch {
		// The first task may free its slot before the context ends, so one waiting task may start.
		case started <= 1 && doomed == 0:
			r.Waiting = "skipped"
		case started == waiting && doomed == 0:
			r.Waiting = "run"
		case started == waiting && doomed == waiting:
			r.Waiting = "run, with a context that has ended"
		default:
			t.Errorf("%s, %s: of %d waiting tasks %d ran, %d with a context that has ended", g.name,
				g.how, waiting, started, doomed)
		}
	})
	return r
}

func groupError(err error) string {
	first, second := errors.Is(err, errFirst), errors.Is(err, errSecond)
	cancelled := errors.Is(err, context.Canceled)
	switch {
	case err == nil:
		return "none"
	case first && second:
		return "all, joined"
	case first && cancelled:
		return "the first, joined with context canceled of the others"
	case first:
		return "the first"
	case second:
		return "the second"
	case cancelled:
		return "context canceled, not the cause"
	}
	return err.Error()
}

func measureGroups(t *testing.T) (all []groupResult) {
	t.Helper()
	for _, g := range groups {
		all = append(all, measureGroup(t, g))
	}
	return all
}

func groupTable(all []groupResult) string {
	var out strings.Builder
	out.WriteString("| library | calls | error | running tasks | waiting tasks | the caller gets it |\n" +
		"|---|---|---|---|---|---|\n")
	for _, r := range all {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", r.Name, r.How, r.Error,
			r.Running, r.Waiting, r.Returns)
	}
	return out.String()
}

// Only the semaphore loop that returns the error of Acquire may lose the cause, and return while
// tasks run.
func TestGroupErrors(t *testing.T) {
	for _, r := range measureGroups(t) {
		loop := strings.Contains(r.How, "return the error of Acquire")
		if lost := r.Error == "context canceled, not the cause"; lost != loop || r.Error == "none" {
			t.Errorf("%+v", r)
		}
		early := loop || strings.Contains(r.How, "return context.Cause")
		if (r.Returns == "while tasks run") != early {
			t.Errorf("%+v", r)
		}
		for _, word := range []string{r.Error, r.Running, r.Waiting, r.Returns} {
			if word == "" || strings.ContainsAny(word, "|\n") {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestGroupErrorsCover(t *testing.T) {
	for _, s := range strategies.All() {
		name, _, _ := strings.Cut(s.Name, "_")
		if s.Bare == (strategies.Bare{}) || s.Name == builtin.WorkerPool {
			continue
		}
		if !slices.ContainsFunc(groups, func(g group) bool { return g.name == name }) {
			t.Errorf("no row of %s", name)
		}
	}
}

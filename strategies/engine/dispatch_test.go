package engine

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

var discard = strategies.SinkFunc(func(*strategies.Task, strategies.Result) {})

// Workers randomly enter pages, claim from them and quit. A slice is the reference.
func TestPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		var q pages
		q.Open()
		var want []*strategies.Task
		var entered [5]*page // by worker
		unreported := 0      // claims not yet reported
		check := func(got *strategies.Task) {
			t.Helper()
			switch {
			case got == nil && len(want) > 0:
				t.Fatalf("the queue is empty, where %d tasks wait", len(want))
			case got != nil && (len(want) == 0 || got != want[0]):
				t.Fatalf("took a task that is not the first of the %d that wait", len(want))
			}
			want = want[min(1, len(want)):]
		}
		report := func(n int) {
			t.Helper()
			if n != unreported {
				t.Fatalf("%d claims reported, and there were %d", n, unreported)
			}
			unreported = 0
		}
		adds := 1 + random.IntN(8) // in tenths of the operations
		for range 2000 {
			worker := &entered[random.IntN(len(entered))]
			switch choice := random.IntN(20); {
			case choice < adds:
				task := new(strategies.Task)
				q.Push(task)
				want = append(want, task)
			case choice < 18 && *worker != nil:
				if task := (*worker).claim(); task != nil {
					unreported++
					check(task)
				} else {
					q.quit(*worker)
					*worker = nil
				}
			case choice < 18:
				task, in, claims := q.take(choice < 17)
				if claims > 0 {
					report(claims)
				}
				check(task)
				*worker = in
			case choice == 18:
				report(q.claims())
			default:
				report(q.withdraw())
			}
			if q.Empty() != (len(want) == 0) {
				t.Fatalf("empty() = %v, and %d tasks wait", q.Empty(), len(want))
			}
			unused := map[*page]bool{}
			for p := q.unused; p != nil; p = p.next {
				if unused[p] || slices.Contains(entered[:], p) ||
					slices.ContainsFunc(
						p.tasks[:],
						func(t *strategies.Task) bool { return t != nil },
					) {
					t.Fatal("a page is put away twice, with somebody in it, or with a task in it")
				}
				unused[p] = true
			}
			for p := q.head; p != nil; p = p.next {
				if unused[p] {
					t.Fatal("a page is in use and put away")
				}
			}
		}
	}
}

// The number of workers follows the concurrent tasks, not the 1000 slots.
func TestWorkersOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(Dispatch).Start(t.Context(), strategies.Params{Limit: 1000, Queue: 1000}, discard)
		task := strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
			time.Sleep(time.Millisecond)
			return strategies.Result{}
		}}
		expect := func(workers int) {
			t.Helper()
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.parked) != workers || s.busy != 0 {
				t.Errorf("%d workers are parked and %d busy, want %d and 0",
					len(s.parked), s.busy, workers)
			}
		}
		expect(0)
		for range 100 {
			if err := s.Submit(t.Context(), &task); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond)
		}
		expect(1)
		for range 10 {
			copied := task
			if err := s.Submit(t.Context(), &copied); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		expect(10)
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// full returns a full instance whose slot is occupied until release is closed.
func full(t *testing.T, queue int) (s *Dispatch, done chan error, release chan struct{}) {
	t.Helper()
	done, release = make(chan error, queue+2), make(chan struct{})
	s = new(Dispatch).Start(t.Context(), strategies.Params{Limit: 1, Queue: queue},
		strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) { done <- r.Err }))
	for range queue + 1 {
		task := &strategies.Task{
			Run: func(context.Context, *strategies.Task) strategies.Result {
				<-release
				return strategies.Result{}
			},
		}
		if err := s.Submit(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
	return s, done, release
}

// If its context ends during admission, Submit must return nil, because its task is accepted.
func TestRoomComesFirst(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			s, done, release := full(t, 0)
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan error, 1)
			go func() {
				run := func(context.Context, *strategies.Task) (r strategies.Result) { return r }
				returned <- s.Submit(ctx, &strategies.Task{Run: run})
			}()
			synctest.Wait()
			s.mu.Lock()
			cancel()
			for range 100 {
				runtime.Gosched() // lets the Submit reach the mutex
			}
			first := s.waiters.first
			s.inside++
			s.queue.Push(first.unlink())
			s.mu.Unlock()
			first.admitted <- struct{}{}
			if err := <-returned; err != nil {
				t.Errorf("Submit was accepted and returned %v", err)
			}
			close(release)
			if err := s.Drain(t.Context()); err != nil || len(done) != 2 {
				t.Errorf("Drain: %v, %d tasks done", err, len(done))
			}
		})
	}
}

// After the intake is closed, the end of a task must not admit a blocked Submit.
func TestSealedAcceptsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, done, release := full(t, 0)
		s.mu.Lock()
		w := s.waiters.join(new(strategies.Task))
		s.mu.Unlock()
		s.closeIntake()
		close(release)
		if err := s.Drain(t.Context()); err != nil || len(done) != 1 || w.task == nil {
			t.Errorf("Drain: %v, %d tasks done, accepted: %v", err, len(done), w.task == nil)
		}
	})
}

// One Drain closes the intake. Before it calls seal, another Drain may reach its deadline and call
// abandonQueue.
func TestAbandonBeforeSeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, done, release := full(t, 9)
		s.Cancel(strategies.ErrAbandoned)
		s.abandonQueue()
		for i := range 9 {
			if err := <-done; err != strategies.ErrAbandoned {
				t.Errorf("task %d in the queue: %v", i, err)
			}
		}
		close(release)
		if err := s.Drain(t.Context()); err != nil || len(done) != 1 || <-done != nil {
			t.Errorf("Drain: %v, %d other tasks done", err, len(done))
		}
	})
}

// New's context ends inside a task, so its worker looks for the next task before the instance
// notices.
func TestNothingRunsOnceEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done, release := make(chan error, 10), make(chan struct{})
		s := new(Dispatch).Start(ctx, strategies.Params{Limit: 1, Queue: 9},
			strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) { done <- r.Err }))
		for range 10 {
			if err := s.Submit(t.Context(),
				&strategies.Task{Run: func(context.Context,
					*strategies.Task) strategies.Result {
					<-release
					cancel()
					return strategies.Result{}
				}}); err != nil {
				t.Fatal(err)
			}
		}
		close(release)
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		for i := range 10 {
			if err := <-done; (err == nil) != (i == 0) {
				t.Errorf("task %d: %v", i, err)
			}
		}
	})
}

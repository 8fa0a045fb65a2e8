package strategies

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// discard is a sink that wants to know nothing.
var discard = SinkFunc(func(*Task, Result) {})

// TestPages drives the queue of a dispatch beside a slice, with workers that enter pages, claim
// from them and quit, and looks at what may be used again.
func TestPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		var q pages
		q.open()
		var want []*Task
		var entered [5]*page // by worker
		unreported := 0      // claims
		check := func(got *Task) {
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
		adds := 1 + random.IntN(8) // of 10
		for range 2000 {
			worker := &entered[random.IntN(len(entered))]
			switch choice := random.IntN(20); {
			case choice < adds:
				task := new(Task)
				q.push(task)
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
			if q.empty() != (len(want) == 0) {
				t.Fatalf("empty() = %v, and %d tasks wait", q.empty(), len(want))
			}
			unused := map[*page]bool{}
			for p := q.unused; p != nil; p = p.next {
				if unused[p] || slices.Contains(entered[:], p) ||
					slices.ContainsFunc(p.tasks[:], func(t *Task) bool { return t != nil }) {
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

// TestWorkersOnDemand gives an instance for 1000 slots a hundred tasks one after another, which
// need one worker, and then ten at once, which need ten.
func TestWorkersOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(dispatch).start(t.Context(), Params{Limit: 1000, Queue: 1000}, discard)
		task := Task{Run: func(context.Context, *Task) Result {
			time.Sleep(time.Millisecond)
			return Result{}
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

// full returns an instance with one slot, which is held until release is closed, and room for
// queue tasks more, which are in the queue. Its sink is the channel.
func full(t *testing.T, queue int) (s *dispatch, done chan error, release chan struct{}) {
	t.Helper()
	done, release = make(chan error, queue+2), make(chan struct{})
	s = new(dispatch).start(t.Context(), Params{Limit: 1, Queue: queue},
		SinkFunc(func(_ *Task, r Result) { done <- r.Err }))
	for range queue + 1 {
		task := &Task{Run: func(context.Context, *Task) Result { <-release; return Result{} }}
		if err := s.Submit(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
	return s, done, release
}

// TestRoomComesFirst lets in a Submit whose context has just ended, before it can leave the line:
// it is accepted.
func TestRoomComesFirst(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			s, done, release := full(t, 0)
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan error, 1)
			go func() {
				returned <- s.Submit(ctx,
					&Task{Run: func(context.Context, *Task) Result { return Result{} }})
			}()
			synctest.Wait()
			s.mu.Lock()
			cancel()
			for range 100 {
				runtime.Gosched() // the Submit comes to the mutex
			}
			first := s.waiters.first
			s.inside++
			s.queue.push(first.unlink())
			s.mu.Unlock()
			first.let <- struct{}{}
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

// TestSealedAcceptsNobody ends a task when the intake is closed and a Submit has not yet left the
// line.
func TestSealedAcceptsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, done, release := full(t, 0)
		s.mu.Lock()
		w := s.waiters.join(new(Task))
		s.mu.Unlock()
		s.closeIntake()
		close(release)
		if err := s.Drain(t.Context()); err != nil || len(done) != 1 || w.task == nil {
			t.Errorf("Drain: %v, %d tasks done, accepted: %v", err, len(done), w.task == nil)
		}
	})
}

// TestAbandonBeforeSeal has the Drain whose deadline ends overtake the one that closes the intake:
// the queue is abandoned before it has been called to seal.
func TestAbandonBeforeSeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, done, release := full(t, 9)
		s.cancel(ErrAbandoned)
		s.abandonQueue()
		for i := range 9 {
			if err := <-done; err != ErrAbandoned {
				t.Errorf("task %d in the queue: %v", i, err)
			}
		}
		close(release)
		if err := s.Drain(t.Context()); err != nil || len(done) != 1 || <-done != nil {
			t.Errorf("Drain: %v, %d other tasks done", err, len(done))
		}
	})
}

// TestNothingRunsOnceEnded ends New's context from inside a task, so that its worker comes for the
// next before anything else of the instance has seen it.
func TestNothingRunsOnceEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done, release := make(chan error, 10), make(chan struct{})
		s := new(dispatch).start(ctx, Params{Limit: 1, Queue: 9},
			SinkFunc(func(_ *Task, r Result) { done <- r.Err }))
		for range 10 {
			if err := s.Submit(t.Context(),
				&Task{Run: func(context.Context,
					*Task) Result {
					<-release
					cancel()
					return Result{}
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

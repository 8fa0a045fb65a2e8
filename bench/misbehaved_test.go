package bench_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// misbehaved is a semaphore that makes one mistake, with its twentieth task or in Drain.
type misbehaved struct {
	how     misdeed
	ctx     context.Context
	slots   chan struct{}
	sink    strategies.Sink
	tasks   atomic.Int64
	seen    sync.Map // all submitted tasks
	working sync.WaitGroup
	mu      sync.Mutex
}

type misdeed string

const (
	newIsNil    misdeed = "New returns nil"
	newHangs    misdeed = "New hangs"
	newPanics   misdeed = "New panics"
	newExits    misdeed = "New exits"
	submitWaits misdeed = "Submit waits for nobody"
	submitLocks misdeed = "Submit locks twice"
	submitSpins misdeed = "Submit spins"
	submitPanic misdeed = "Submit panics"
	submitExits misdeed = "Submit exits"
	drainWaits  misdeed = "Drain waits for nobody"
	drainLocks  misdeed = "Drain locks twice"
	drainSpins  misdeed = "Drain spins"
	drainPanics misdeed = "Drain panics"
	drainExits  misdeed = "Drain exits"
	workerLocks misdeed = "a worker locks twice"
	workerSpins misdeed = "a worker spins"
	workerPanic misdeed = "a worker panics"
	workerExits misdeed = "a worker exits"

	leaksWaiting misdeed = "leaks goroutines that wait"
	leaksAsleep  misdeed = "leaks goroutines that sleep"
	leaksOnClose misdeed = "leaks a goroutine of New"

	doneNil     misdeed = "Done of nil"
	doneForeign misdeed = "Done of a foreign task"
	doneCopy    misdeed = "Done of a copy"
	doneOther   misdeed = "Done of another task"
	doneTwice   misdeed = "Done twice"
	doneEarly   misdeed = "Done while it runs"
	doneUnrun   misdeed = "Done and never run"
	doneNever   misdeed = "Done never"

	doesNothing misdeed = "Submit does nothing"
	runsTwice   misdeed = "runs a task twice"
	runsAtOnce  misdeed = "runs a task twice at once"
	runsLate    misdeed = "runs a task that is done"
	runsRefused misdeed = "refuses and runs"
	ranRefused  misdeed = "refuses what it has run"
	doneRefused misdeed = "refuses and is done"
	refusesOdd  misdeed = "refuses with an error of its own"
	refusesShut misdeed = "refuses as closed"
	changesArg  misdeed = "changes Arg"
	changesRun  misdeed = "changes Run"
	changesSize misdeed = "changes Size"
)

func misbehavedSpec(how misdeed) strategies.Spec {
	return strategies.Spec{Name: "misbehaved",
		New: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			m := &misbehaved{how: how, ctx: ctx, slots: make(chan struct{}, p.Limit), sink: sink}
			switch how {
			case newIsNil:
				return nil
			case newHangs:
				select {}
			case newPanics:
				panic("no pool today")
			case newExits:
				runtime.Goexit()
			case leaksOnClose:
				go m.wait()
			}
			return m
		}}
}

func (m *misbehaved) wait() { <-make(chan int) }

func (m *misbehaved) spin() {
	for n := 0; ; n++ {
	}
}

func (m *misbehaved) lockTwice() {
	m.mu.Lock()
	m.mu.Lock()
}

var errOdd = errors.New("no room in the inn")

func (m *misbehaved) Submit(ctx context.Context, t *strategies.Task) error {
	m.seen.Store(t, nil)
	now := m.tasks.Add(1) == 20
	how := m.how
	if !now {
		how = ""
	}
	switch how {
	case submitWaits:
		m.wait()
	case submitLocks:
		m.lockTwice()
	case submitSpins:
		m.spin()
	case submitPanic:
		panic("send on closed channel")
	case submitExits:
		runtime.Goexit()
	case doesNothing:
		return nil
	case doneRefused:
		m.sink.Done(t, strategies.Result{})
		return strategies.ErrShed
	case refusesOdd:
		return errOdd
	case refusesShut:
		return strategies.ErrClosed
	case changesSize:
		t.Size = time.Second
	case changesRun:
		run := t.Run
		t.Run = func(ctx context.Context, t *strategies.Task) strategies.Result {
			return run(ctx, t)
		}
	case changesArg:
		t.Arg = m
	}
	switch m.how {
	case leaksWaiting:
		go m.wait()
	case leaksAsleep:
		go time.Sleep(time.Minute)
	}
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	started := make(chan struct{})
	m.working.Go(func() { m.work(t, how, started) })
	switch how {
	case runsRefused: // the task is or was inside its Run
		<-started
		return strategies.ErrShed
	case ranRefused:
		m.working.Wait()
		return strategies.ErrShed
	}
	return nil
}

// runs calls t.Run. inside is called when the task calls Done of its context.
func (m *misbehaved) runs(t *strategies.Task, inside func()) strategies.Result {
	return t.Run(hooked{m.ctx, sync.OnceFunc(inside)}, t)
}

type hooked struct {
	context.Context
	asked func()
}

func (h hooked) Done() <-chan struct{} {
	h.asked()
	return h.Context.Done()
}

func (m *misbehaved) work(t *strategies.Task, how misdeed, started chan struct{}) {
	defer func() { <-m.slots }()
	var r strategies.Result
	switch how {
	case doneUnrun:
	case doneEarly:
		r = m.runs(t, func() { m.sink.Done(t, strategies.Result{}) })
	case runsAtOnce:
		r = m.runs(t, func() {
			var other sync.WaitGroup
			other.Go(func() { t.Run(m.ctx, t) })
			other.Wait()
		})
	case runsRefused, ranRefused:
		m.runs(t, func() { close(started) })
		return
	default:
		r = t.Run(m.ctx, t)
	}
	switch how {
	case runsTwice:
		r = t.Run(m.ctx, t)
	case workerLocks:
		m.lockTwice()
	case workerSpins:
		m.spin()
	case workerPanic:
		panic("out of luck")
	case workerExits:
		runtime.Goexit()
	case doneNil:
		m.sink.Done(nil, r)
		return
	case doneForeign:
		m.sink.Done(&strategies.Task{Arg: m}, r)
		return
	case doneCopy:
		copied := *t
		m.sink.Done(&copied, r)
		return
	case doneOther:
		m.seen.Range(func(other, _ any) bool {
			if other != any(t) {
				m.sink.Done(other.(*strategies.Task), r)
			}
			return other == any(t)
		})
		return
	case doneNever:
		return
	case doneTwice:
		defer m.sink.Done(t, r)
	case runsLate:
		defer t.Run(m.ctx, t)
	}
	m.sink.Done(t, r)
}

func (m *misbehaved) Drain(context.Context) error {
	m.working.Wait()
	switch m.how {
	case drainWaits:
		m.wait()
	case drainLocks:
		m.lockTwice()
	case drainSpins:
		m.spin()
	case drainPanics:
		panic("close of nil channel")
	case drainExits:
		runtime.Goexit()
	}
	return nil
}

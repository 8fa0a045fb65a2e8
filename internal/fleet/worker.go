package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

type Worker struct {
	Conn  *nats.Conn
	Self  Member
	Slots int // number of concurrent virtual-clock runs; a real-clock run uses all slots
	Run   RunFunc
	// longest wait for work; 0: no limit
	Idle time.Duration
	Say  func(line string) // reports events to the user
}

// patience is the time limit without progress. soFar receives interim results of a soak.
type RunFunc func(ctx context.Context, s bench.Scenario, patience time.Duration,
	soFar func(*bench.Result)) (*bench.Result, error)

// FatalError is an error of Run that ends the worker, because the run cannot be stopped.
type FatalError struct{ Err error }

func (l FatalError) Error() string { return l.Err.Error() }

func (l FatalError) Unwrap() error { return l.Err }

// Work runs cells until ctx ends or the worker was idle for Idle, which is not an error. When ctx
// ends, the current cell returns to the queue.
func (w Worker) Work(ctx context.Context) error {
	opening, cancel := context.WithTimeout(ctx, 2*partTime)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &workerState{Worker: w, slots: semaphore.NewWeighted(int64(w.Slots)), stop: stop,
		began: time.Now()}
	for _, host := range []string{anyHost, hostKey(w.Self.Host)} {
		if _, err := r.cells(opening, host); err != nil {
			return err
		}
	}
	called, err := w.Conn.Subscribe(callSubject, r.answer)
	if err != nil {
		return err
	}
	defer called.Unsubscribe()
	err = errors.Join(publish(w.Conn, helloSubject, "", heartbeat{Member: w.Self}),
		w.Conn.FlushWithContext(opening))
	if err != nil {
		return err
	}
	changes := w.Conn.StatusChanged(nats.RECONNECTING, nats.CONNECTED)
	defer w.Conn.RemoveStatusListener(changes)
	var pulls sync.WaitGroup
	pulls.Go(func() { r.renew(ctx, changes) })
	for range w.Slots {
		pulls.Go(func() { r.pull(ctx, anyHost, 1) })
	}
	pulls.Go(func() { r.pull(ctx, hostKey(w.Self.Host), int64(w.Slots)) })
	r.awaitIdle(ctx)
	stop(nil)
	pulls.Wait()
	if last, ok := errors.AsType[FatalError](context.Cause(ctx)); ok {
		return last
	}
	return nil
}

type workerState struct {
	Worker
	slots *semaphore.Weighted
	stop  context.CancelCauseFunc
	busy  atomic.Int64 // number of running cells
	began time.Time
	last  atomic.Int64 // time of the last work, in ns since began

	mu     sync.Mutex
	expire context.CancelFunc // cancels valid
	valid  context.Context    // context of the current requests for cells; nil if there is none
}

func (r *workerState) answer(m *nats.Msg) {
	var sweep Member
	if json.Unmarshal(m.Data, &sweep) != nil {
		return
	}
	if why := r.Self.Program.Differs(sweep.Program); why != "" {
		r.Say(fmt.Sprintf("the sweep of %s refuses this worker: %s", sweep, why))
	}
	// If the answer is lost, the results announce the worker.
	answer(m, heartbeat{Member: r.Self, Busy: r.busy.Load() > 0})
}

func (r *workerState) markActive() { r.last.Store(int64(time.Since(r.began))) }

func (r *workerState) awaitIdle(ctx context.Context) {
	if r.Idle == 0 {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(min(r.Idle/4+1, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if r.busy.Load() == 0 && time.Since(r.began)-time.Duration(r.last.Load()) > r.Idle {
				return
			}
		}
	}
}

const pause = time.Second

// A restarted server has lost the requests for cells, and perhaps the queue.
func (r *workerState) renew(ctx context.Context, changes <-chan nats.Status) {
	for {
		select {
		case now := <-changes:
			if now == nats.RECONNECTING {
				r.Say("the NATS server cannot be reached: waiting for the server")
				continue
			}
			r.Say("the NATS server can be reached again")
			r.mu.Lock()
			if r.valid != nil {
				r.expire()
				r.valid = nil
			}
			r.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// The context ends with the connection.
func (r *workerState) asking(ctx context.Context) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.valid == nil {
		r.valid, r.expire = context.WithCancel(ctx)
	}
	return r.valid
}

func (r *workerState) cells(ctx context.Context, host string) (jetstream.Consumer, error) {
	opening, cancel := context.WithTimeout(ctx, 2*partTime)
	defer cancel()
	_, stream, err := openQueue(opening, r.Conn)
	if err != nil {
		return nil, err
	}
	return cells(opening, stream, r.Self.Program, host)
}

// pull recreates the queue and the consumer if they are lost.
func (r *workerState) pull(ctx context.Context, host string, weight int64) {
	for ctx.Err() == nil {
		asking := r.asking(ctx)
		from, err := r.cells(ctx, host)
		for err == nil && asking.Err() == nil {
			// The lease of a waiting message is not renewed, so request a message only with a free
			// slot.
			var m jetstream.Msg
			m, err = from.Next(jetstream.FetchContext(asking))
			switch {
			case err == nil:
				r.runMessage(ctx, m, weight)
			case errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrNoMessages):
				err = nil
			}
		}
		if asking.Err() == nil {
			_ = pace.Sleep(ctx, pause) // or until ctx ends
		}
	}
}

func (r *workerState) runMessage(ctx context.Context, m jetstream.Msg, weight int64) {
	r.busy.Add(1)
	defer func() { r.markActive(); r.busy.Add(-1) }()
	var c cell
	meta, err := m.Metadata()
	if err == nil {
		err = json.Unmarshal(m.Data(), &c)
	}
	if err != nil {
		r.Say("a message in the queue is no scenario: " + err.Error())
		_ = m.Term() // otherwise it would be delivered again
		return
	}
	if !r.wanted(ctx, c) {
		r.dropOrphan(m, meta.NumDelivered)
		return
	}
	running, giveUp := context.WithCancelCause(ctx)
	kept := r.renewLease(running, giveUp, c, m)
	o, err := r.run(running, c, meta.NumDelivered, weight)
	giveUp(nil)
	kept.Wait()
	if last, ok := errors.AsType[FatalError](err); ok {
		defer r.stop(last) // after delivery, if possible
	}
	if errors.Is(context.Cause(running), errUnwanted) {
		_ = m.Ack() // unwanted
		return
	}
	if ctx.Err() != nil || r.deliver(ctx, c, o) != nil {
		_ = m.Nak() // for another attempt; if the message is lost, the lease expires
		return
	}
	_ = m.Ack() // if lost, the cell is delivered again and is then unwanted
}

var errUnwanted = errors.New("the sweep no longer needs this run")

func (r *workerState) wanted(ctx context.Context, c cell) bool {
	asking, cancel := context.WithTimeout(ctx, renewal)
	defer cancel()
	m, err := r.Conn.RequestWithContext(asking, sweepSubject+"."+c.Sweep,
		[]byte(strconv.Itoa(c.Number)))
	return err == nil && string(m.Data) == string(yes)
}

// dropOrphan returns a cell to the queue if its sweep does not want it or does not answer. It drops
// the cell after several deliveries.
func (r *workerState) dropOrphan(m jetstream.Msg, deliveries uint64) {
	if deliveries >= 3 {
		_ = m.Term()
		return
	}
	_ = m.NakWithDelay(pause)
}

// The cell is given up if the sweep does not want it or does not answer for several leases.
func (r *workerState) renewLease(
	ctx context.Context, giveUp context.CancelCauseFunc, c cell, m jetstream.Msg,
) *sync.WaitGroup {
	var keeping sync.WaitGroup
	keeping.Go(func() {
		tick := time.NewTicker(renewal)
		defer tick.Stop()
		for silent := 0; silent < 3*int(lease/renewal); {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if !r.Conn.IsConnected() { // the sweep may still exist
				continue
			}
			_ = m.InProgress() // otherwise another worker would get it too
			silent++
			if r.wanted(ctx, c) {
				silent = 0
			}
		}
		giveUp(errUnwanted)
	})
	return &keeping
}

// run runs the scenario, unless too many workers were lost with it.
func (r *workerState) run(
	ctx context.Context, c cell, deliveries uint64, weight int64,
) (outcome, error) {
	o := outcome{Worker: r.Self, Machine: directory.Machine()}
	s, err := c.Scenario.Scenario()
	switch {
	case err != nil:
	case deliveries > maxDeliveries:
		err = fmt.Errorf("%s: %d workers were lost during this run", s.Name(), maxDeliveries)
	default:
		if err = r.slots.Acquire(ctx, weight); err == nil {
			o.Result, err = r.Run(ctx, s, c.Patience, func(soFar *bench.Result) {
				telling, end := context.WithTimeout(ctx, partTime)
				defer end()
				part := o
				part.Result, part.Unfinished = soFar, true
				_ = r.deliver(telling, c, part) // the loss of an interim result does not matter
			})
			r.slots.Release(weight)
		}
	}
	if err != nil {
		o.Error = err.Error()
	}
	return o, err
}

// An unwanted outcome counts as delivered.
func (r *workerState) deliver(ctx context.Context, c cell, o outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	err = send(ctx, r.Conn, sweepSubject+"."+c.Sweep,
		strconv.Itoa(c.Number)+"."+r.Self.ID, text)
	if errors.Is(err, nats.ErrNoResponders) { // the sweep has ended
		return nil
	}
	return err
}

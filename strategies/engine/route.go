package engine

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// route is the engine of parts that separate classes. Tasks wait in the route until their class
// pool has a free slot, because an inner instance would bind a task for any pool.
type route struct {
	partState
	poolOf func(strategies.Class) int // index in branches, or anyPool
	sheds  bool

	mu       sync.Mutex
	branches []branch
	any      ring[Waiting] // tasks that may run in any class pool
	space    admission
	ended    bool // whether Ctx has ended; no task is queued then
}

type branch struct {
	route     *route
	inner     strategies.Strategy
	slots     int // tasks that run at once
	most      int // maximum of within
	forwarded int // tasks forwarded and not done
	queue     ring[Waiting]
	wake      chan struct{} // has one element when a task may be ready to be forwarded
}

func (s *route) Start(
	ctx context.Context, inner strategies.Spec, each []strategies.Params, sink strategies.Sink,
) strategies.Strategy {
	s.sheds, s.Drop, s.newCtx = inner.Sheds, s.dropHeld, ctx
	s.branches, s.space.rooms = make([]branch, len(each)), make([]room, len(each))
	for i, in := range each {
		l, room := &s.branches[i], &s.space.rooms[i]
		*l = branch{route: s, slots: inner.Bound(in), wake: make(chan struct{}, 1)}
		l.most, room.most = l.slots, math.MaxInt
		if inner.Capacity != nil {
			room.most = inner.Capacity(in)
		}
		if inner.Retries && inner.Capacity != nil {
			l.most = room.most // tasks that wait for a retry use no slot
		}
		l.inner = inner.New(ctx, in, l)
		s.inside = append(s.inside, l.inner)
	}
	s.Open(ctx, sink, nil) // last, because an ended ctx drops all tasks at once
	for i := range s.branches {
		s.forwarders.Go(s.branches[i].forward)
	}
	return s
}

func (s *route) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	to := s.poolOf(t.Class)
	s.mu.Lock()
	switch room := s.space.findRoom(to); {
	case s.ended:
		s.mu.Unlock()
		s.Leave()
		return strategies.ErrClosed
	case room >= 0:
		s.accept(t, to, room)
		s.mu.Unlock()
		return nil
	case s.sheds:
		s.mu.Unlock()
		s.Leave()
		return strategies.ErrShed
	}
	b := s.space.block(t, to)
	s.mu.Unlock()
	return s.waitInLine(ctx, &s.mu, s.space.lineOf(to), b)
}

func (s *route) accept(t *strategies.Task, to, room int) {
	t.Scratch().Room = uint8(room)
	w := Waiting{Task: t, Seq: s.space.useRoom(room)}
	if to == anyPool {
		s.any.pushBack(w)
		s.call()
		return
	}
	s.branches[to].queue.pushBack(w)
	signal(s.branches[to].wake)
}

// call wakes the last class pool with a free slot if a task for any pool is waiting. That is the
// slower pool, and the others stay free.
func (s *route) call() {
	for i := len(s.branches) - 1; s.any.Len > 0 && i >= 0; i-- {
		if l := &s.branches[i]; l.forwarded < l.slots {
			signal(l.wake)
			return
		}
	}
}

func (l *branch) forward() {
	for {
		t := l.Next()
		if t == nil {
			select {
			case <-l.wake:
				continue
			case <-l.route.Ctx.Done():
				return
			}
		}
		if err := l.inner.Submit(l.route.Ctx, t); err != nil {
			l.Done(t, strategies.Result{Err: l.route.refusal(t, err)})
		}
	}
}

// A task for any pool starts only if the class pool has fewer tasks than slots, including tasks
// that wait for a retry.
func (l *branch) Next() *strategies.Task {
	s := l.route
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &l.queue
	if s.any.Len > 0 && l.forwarded < l.slots && (q.Len == 0 || s.any.At(0).Seq < q.At(0).Seq) {
		q = &s.any
	}
	if q.Len == 0 || l.forwarded >= l.most {
		return nil
	}
	l.forwarded++
	t := q.PopFront().Task
	s.call()
	return t
}

func (l *branch) Done(t *strategies.Task, r strategies.Result) {
	s := l.route
	s.mu.Lock()
	l.forwarded--
	room := int(t.Scratch().Room)
	if first := s.space.freeRoom(room); first != nil && !s.ended {
		s.accept(first.unlink(), first.to, room)
		first.admitted <- struct{}{}
	}
	s.mu.Unlock()
	signal(l.wake)
	s.Settle(t, r)
}

func (s *route) dropHeld() {
	s.mu.Lock()
	s.ended = true
	tasks := emptied(&s.any, nil)
	for i := range s.branches {
		tasks = emptied(&s.branches[i].queue, tasks)
	}
	for _, t := range tasks {
		s.space.rooms[t.Scratch().Room].inside--
	}
	s.mu.Unlock()
	for _, t := range tasks {
		s.Settle(t, strategies.Result{Err: s.GiveUpOn(t)})
	}
}

func (s *route) Drain(ctx context.Context) error {
	s.closeIntake()
	s.KeepAll()
	return s.drain(ctx)
}

func indexIn(all []strategies.ClassPool) func(strategies.Class) int {
	return func(c strategies.Class) int {
		return slices.IndexFunc(all, func(l strategies.ClassPool) bool { return l.Class == c })
	}
}

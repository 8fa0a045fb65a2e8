package engine

import "github.com/poolbench/poolbench/strategies"

// This file implements Result.More and Result.Split for Pools with Turns. Between its steps a task
// has no slot, so a task with sub-tasks cannot deadlock, even at limit 1.

// family is a task that waits for its sub-tasks. It is the only allocation of a Split.
type family struct {
	parent entry
	result strategies.Result  // result of the parent's step, with the first error of a sub-task
	rest   []*strategies.Task // sub-tasks still to be queued
	left   int                // sub-tasks that are queued or running
}

func (f *family) failed() bool {
	for ; f != nil; f = f.parent.family {
		if f.result.Err != nil {
			return true
		}
	}
	return false
}

func (f *family) isWithin(g *family) bool {
	for ; f != nil; f = f.parent.family {
		if f == g {
			return true
		}
	}
	return false
}

func (w *Pools) proceed(e entry, r strategies.Result) (entry, strategies.Result, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.advance(e, r)
}

// advance queues the next step or the sub-tasks of e. It returns the submitted task that ends with
// e, if any. It checks Ctx with mu held, so dropAll finds every entry that it queues.
func (w *Pools) advance(e entry, r strategies.Result) (entry, strategies.Result, bool) {
	for {
		e.started = true
		asks := r.Err == nil && (r.More || len(r.Split) > 0) && !e.family.failed()
		switch {
		case asks && w.Ctx.Err() != nil:
			r.Err = w.EndedBy()
		case asks && len(r.Split) > 0:
			w.Split(e, r)
			return entry{}, strategies.Result{}, false
		case asks:
			w.queue(e)
			return entry{}, strategies.Result{}, false
		}
		r.More, r.Split = false, nil
		f := e.family
		switch {
		case f == nil:
			return e, r, true
		case !w.partEnded(f, r.Err):
			return entry{}, strategies.Result{}, false
		}
		e, r = f.parent, f.result
	}
}

// insert compares sequence numbers because an earlier task may already be at the front.
func (w *Pools) queue(e entry) {
	q := &w.pool[e.pool].queue
	if w.Front {
		q.insert(e)
	} else {
		w.space.seq++
		e.seq = w.space.seq
		q.pushBack(e)
	}
	w.call(e.pool)
}

// Split queues the sub-tasks of a step of e: all of them with Front, otherwise the first.
func (w *Pools) Split(e entry, r strategies.Result) {
	f := &family{parent: e, result: r, rest: r.Split, left: 1}
	f.result.Split = nil
	if !w.Front {
		w.queueNext(f)
		return
	}
	f.left, f.rest = len(r.Split), nil
	for i := f.left - 1; i >= 0; i-- {
		w.queue(entry{task: r.Split[i], family: f, seq: e.seq, pool: e.pool})
	}
}

func (w *Pools) queueNext(f *family) {
	next := entry{task: f.rest[0], family: f, pool: f.parent.pool}
	f.rest = f.rest[1:]
	w.queue(next)
}

func (w *Pools) partEnded(f *family, err error) (last bool) {
	if err != nil && f.result.Err == nil {
		f.result.Err = err
		w.withdraw(f)
	}
	if len(f.rest) > 0 && f.result.Err == nil {
		if w.Ctx.Err() == nil {
			w.queueNext(f)
			return false
		}
		f.result.Err = w.EndedBy()
	}
	f.left--
	return f.left == 0
}

// withdraw also removes the sub-tasks of nested families.
func (w *Pools) withdraw(f *family) {
	w.pool[f.parent.pool].queue.remove(func(e entry) bool {
		if !e.family.isWithin(f) {
			return false
		}
		for g := e.family; ; g = g.parent.family {
			if g.left--; g == f || g.left > 0 {
				return true
			}
		}
	})
}

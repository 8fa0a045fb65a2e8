package engine

import "github.com/poolbench/poolbench/strategies"

// This file carries out Result.More and Result.Split for pools in which tasks take turns: between
// two steps a task is in the queue and holds no slot. So none waits in a slot for another, and a
// task with sub-tasks cannot deadlock, at a limit of 1 either. What is in the queue beyond the
// accepted tasks are their sub-tasks, which belong to them; only the front mode queues more than
// one for a task.

// A family is a task that waits for its sub-tasks. It is the one allocation of a Split.
type family struct {
	parent entry
	result strategies.Result  // of the parent's step, with the first error among the sub-tasks
	rest   []*strategies.Task // sub-tasks still to be queued
	left   int                // sub-tasks queued or running
}

// failed says whether a sub-task has failed, here or in a family that this is a part of: then
// nobody wants the rest.
func (f *family) failed() bool {
	for ; f != nil; f = f.parent.of {
		if f.result.Err != nil {
			return true
		}
	}
	return false
}

// within says whether f is g or a part of it.
func (f *family) within(g *family) bool {
	for ; f != nil; f = f.parent.of {
		if f == g {
			return true
		}
	}
	return false
}

// proceed is advance for callers without mu.
func (w *Pools) proceed(e entry, r strategies.Result) (entry, strategies.Result, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.advance(e, r)
}

// advance follows a step of e that returned r: it queues the next step or the sub-tasks, or counts
// e out of its family, whose parent may go on by that. It returns the submitted task that has come
// to its end, if one has.
//
// ctx is looked at with mu held, which dropAll needs after ctx has ended: so what is queued here
// will be found there.
func (w *Pools) advance(e entry, r strategies.Result) (entry, strategies.Result, bool) {
	for {
		e.started = true
		asks := r.Err == nil && (r.More || len(r.Split) > 0) && !e.of.failed()
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
		f := e.of
		switch {
		case f == nil:
			return e, r, true
		case !w.partEnded(f, r.Err):
			return entry{}, strategies.Result{}, false
		}
		e, r = f.parent, f.result
	}
}

// queue puts an entry back: at the tail, or at the front, before all that was accepted after its
// task. Of what was accepted before, something may be there again if another worker was quicker
// with a later task.
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

// Split queues the sub-tasks that a step of e asked for: all if Front, otherwise the first.
func (w *Pools) Split(e entry, r strategies.Result) {
	f := &family{parent: e, result: r, rest: r.Split, left: 1}
	f.result.Split = nil
	if !w.Front {
		w.queueNext(f)
		return
	}
	f.left, f.rest = len(r.Split), nil
	for i := f.left - 1; i >= 0; i-- {
		w.queue(entry{task: r.Split[i], of: f, seq: e.seq, pool: e.pool})
	}
}

func (w *Pools) queueNext(f *family) {
	next := entry{task: f.rest[0], of: f, pool: f.parent.pool}
	f.rest = f.rest[1:]
	w.queue(next)
}

// partEnded counts out a sub-task that ended with err, and reports whether it was the last.
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

// withdraw takes the sub-tasks of a family that has failed out of the queue, with theirs, so that
// its task is done as soon as those that run have returned.
func (w *Pools) withdraw(f *family) {
	w.pool[f.parent.pool].queue.remove(func(e entry) bool {
		if !e.of.within(f) {
			return false
		}
		for g := e.of; ; g = g.parent.of {
			if g.left--; g == f || g.left > 0 {
				return true
			}
		}
	})
}

package flight

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// A view adds up what goes on between two instants.
type view struct {
	Account
	goroutine trace.GoID // that ended the task
	due, to   trace.Time // of the task, as far as the trace goes back
	from      trace.Time // its first start, likewise
	states    map[trace.GoID]since
	waiting   Block                   // that of the goroutine now
	blocked   map[Block]time.Duration // by place, For left out
	marks     map[string]trace.Time   // since when ranges of the trace are open
	ran       time.Duration           // of all goroutines
}

// since is when a goroutine came to be in a state.
type since struct {
	state trace.GoState
	at    trace.Time
}

// within is how much of a stretch is between begin and the end.
func (v *view) within(begin, from, to trace.Time) time.Duration {
	return max(min(to, v.to).Sub(max(from, begin)), 0)
}

func (v *view) take(e *trace.Event) {
	switch e.Kind() {
	case trace.EventMetric:
		if m := e.Metric(); m.Name == "/sched/gomaxprocs:threads" && e.Time() <= v.to {
			v.Processors = int(m.Value.Uint64())
		}
	case trace.EventStateTransition:
		if t := e.StateTransition(); t.Resource.Kind == trace.ResourceGoroutine {
			v.move(e, t)
		}
	case trace.EventRangeBegin, trace.EventRangeActive:
		r := e.Range()
		key := r.Name + r.Scope.String()
		if _, open := v.marks[key]; !open {
			v.marks[key] = e.Time()
			if e.Kind() == trace.EventRangeActive {
				v.marks[key] = v.due // it was on before
			}
		}
	case trace.EventRangeEnd:
		r := e.Range()
		key := r.Name + r.Scope.String()
		from, open := v.marks[key]
		if !open {
			from = v.due
		}
		v.ranged(r, from, e.Time())
		delete(v.marks, key)
	}
}

// marking is the runtime's name of the range in which the garbage collector marks.
const marking = "GC concurrent mark phase"

func (v *view) ranged(r trace.Range, from, to trace.Time) {
	switch {
	case r.Name == marking:
		v.Marking += v.within(v.due, from, to)
	case strings.HasPrefix(r.Name, "stop-the-world"):
		v.Stopped += v.within(v.due, from, to)
	case r.Name == "GC mark assist" && r.Scope.Kind == trace.ResourceGoroutine &&
		r.Scope.Goroutine() == v.goroutine:
		v.Assist += v.within(v.from, from, to)
	}
}

func (v *view) move(e *trace.Event, t trace.StateTransition) {
	id := t.Resource.Goroutine()
	from, to := t.Goroutine()
	before, known := v.states[id]
	if !known {
		before = since{from, v.due} // the trace begins in the middle of it
	}
	v.left(id, before, e.Time(), e)
	v.states[id] = since{to, e.Time()}
	if id == v.goroutine && to == trace.GoWaiting {
		v.waiting = Block{Why: t.Reason, At: place(t.Stack)}
	}
	if to == trace.GoNotExist {
		delete(v.states, id)
	}
}

// left adds what a goroutine was at until now, with the event that ended it, if one did.
func (v *view) left(id trace.GoID, was since, now trace.Time, e *trace.Event) {
	if was.state == trace.GoRunning {
		v.ran += v.within(v.due, was.at, now)
	}
	d := v.within(v.from, was.at, now)
	if id != v.goroutine || d == 0 {
		return
	}
	switch was.state {
	case trace.GoRunning:
		v.Running += d
	case trace.GoRunnable:
		v.Runnable += d
	case trace.GoSyscall:
		v.Syscall += d
	case trace.GoWaiting:
		b := v.waiting
		if e != nil && e.Goroutine() != id {
			b.Waking = place(e.Stack())
		}
		v.blocked[b] += d
	}
}

// account ends the view.
func (v *view) account() *Account {
	for id, s := range v.states {
		v.left(id, s, v.to, nil)
	}
	for key, at := range v.marks {
		if strings.HasPrefix(key, marking) {
			v.Marking += v.within(v.due, at, v.to)
		}
	}
	for b, d := range v.blocked {
		b.For = d
		v.Blocked = append(v.Blocked, b)
	}
	slices.SortFunc(v.Blocked, func(a, b Block) int {
		return cmp.Or(cmp.Compare(b.For, a.For), strings.Compare(a.At, b.At))
	})
	if all := v.to.Sub(v.due).Seconds(); v.Processors > 0 && all > 0 {
		v.Busy = min(v.ran.Seconds()/(all*float64(v.Processors)), 1)
	}
	return &v.Account
}

// place is the innermost function of a stack that is neither the runtime's nor of package sync or
// time: what a reader would look for.
func place(s trace.Stack) (name string) {
	for f := range s.Frames() {
		name = cmp.Or(name, short(f.Func))
		pkg := f.Func[:len(f.Func)-len(short(f.Func))] + strings.Split(short(f.Func), ".")[0]
		if !strings.HasPrefix(pkg, "internal/") && !ofRuntime[pkg] {
			return short(f.Func)
		}
	}
	return name
}

// short is the name of a function without the path of its package.
func short(function string) string {
	return function[strings.LastIndexByte(function, '/')+1:]
}

var ofRuntime = map[string]bool{"runtime": true, "sync": true, "time": true, "syscall": true,
	"sync/atomic": true}

// Package flight reads the runtime's trace of a slow task: the activity of its goroutine from the
// task's start to its end, and that of the rest of the process.
package flight

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/exp/trace"

	"github.com/poolbench/poolbench/internal/machine/flight"
)

// An Account is what a trace shows of the slow task that it was written for.
type Account struct {
	Task     uint64        // its number
	Response time.Duration // from when it was due to its end
	Waited   time.Duration // of that, before its first start
	// Seen is how much of the time since the start the trace covers: the runtime keeps so much.
	Seen time.Duration

	// What its goroutine did in that time, as far as it is the one that ended it.
	Running, Runnable, Syscall time.Duration
	Blocked                    []Block // longest first

	Assist time.Duration // of Running: marking for the garbage collector
	// of the whole response, as far as the trace goes back
	Marking    time.Duration // in which the garbage collector marked
	Stopped    time.Duration // in which it, or another, stopped the whole program
	Busy       float64       // share of the processors' time in which goroutines ran
	Processors int
}

// A Block is for how long the goroutine was blocked in one place.
type Block struct {
	For    time.Duration
	Why    string // by the runtime: sync, chan receive, network
	At     string // the function that was called, outside of the runtime and of sync
	Waking string // the function that let it go on, likewise; "" where the trace does not tell
}

// Read reads a trace that was written for a slow task.
func Read(data []byte) (a *Account, err error) {
	defer func() { // whose reader may panic on a damaged one
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("the trace is damaged: %v", p)
		}
	}()
	v, err := find(data)
	if err != nil {
		return nil, err
	}
	if err := each(data, v.take); err != nil {
		return nil, err
	}
	return v.account(), nil
}

func each(data []byte, f func(*trace.Event)) error {
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		f(&e)
	}
}

// find finds the line of the trace that names the task, and so its time.
func find(data []byte) (*view, error) {
	v := &view{goroutine: trace.NoGoroutine, states: map[trace.GoID]since{},
		blocked: map[Block]time.Duration{}, marks: map[string]trace.Time{}}
	var first trace.Time
	var response, sinceStart int64
	err := each(data, func(e *trace.Event) {
		if first == 0 {
			first = e.Time()
		}
		if e.Kind() != trace.EventLog || e.Log().Category != flight.Category {
			return
		}
		if _, err := fmt.Sscanf(e.Log().Message, flight.Format, &v.Task, &response,
			&sinceStart); err == nil {
			v.goroutine, v.to = e.Goroutine(), e.Time()
			v.Response, v.Waited = time.Duration(response), time.Duration(response-sinceStart)
		}
	})
	if err != nil {
		return nil, err
	}
	if v.goroutine == trace.NoGoroutine {
		return nil, errors.New("the trace names no slow task")
	}
	v.due = max(first, v.to-trace.Time(response))
	v.from = max(first, v.to-trace.Time(sinceStart))
	v.Seen = v.to.Sub(v.from)
	return v, nil
}

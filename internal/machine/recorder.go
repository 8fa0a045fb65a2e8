//go:build !js

package machine

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

// The runtime drops older events beyond MaxBytes.
const MaxBytes = 16 << 20

// A task is slow if its response exceeds times the p99 of at least tasksToLearn earlier tasks.
const (
	times        = 3
	tasksToLearn = 368
)

// The goroutine that ended the slow task logs its number, its response and its time since its first
// start, in ns.
const (
	Category = "poolbench slow task"
	Format   = "task %d response %d since start %d"
)

// A nil Recorder does nothing.
type Recorder struct {
	of      *trace.FlightRecorder
	bound   int64 // slow above this response, in ns; 0 means by the p99
	p99     tail
	taken   atomic.Bool
	writing sync.WaitGroup
	data    bytes.Buffer
	err     error
}

// bound 0 means three times the p99 so far. Only one recorder can be active in a process.
func StartRecorder(age, bound time.Duration) (*Recorder, error) {
	r := &Recorder{bound: int64(bound),
		of: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: age, MaxBytes: MaxBytes})}
	if err := r.of.Start(); err != nil {
		return nil, fmt.Errorf("flight: %w", err)
	}
	return r, nil
}

// The goroutine that ended the task must call Done. Another goroutine writes the trace of the first
// slow task.
func (r *Recorder) Done(seq uint64, response, sinceStart int64) {
	if r == nil {
		return
	}
	bound := r.bound
	if bound == 0 {
		if bound = r.p99.add(response); bound == 0 {
			return
		}
	}
	if response <= bound || !r.taken.CompareAndSwap(false, true) {
		return
	}
	trace.Log(context.Background(), Category, fmt.Sprintf(Format, seq, response, sinceStart))
	r.writing.Go(func() { _, r.err = r.of.WriteTo(&r.data) })
}

// End returns nil if no task was slow. A second call returns nil.
func (r *Recorder) End() ([]byte, error) {
	if r == nil || !r.of.Enabled() {
		return nil, nil
	}
	r.writing.Wait()
	r.of.Stop()
	if r.err != nil {
		return nil, fmt.Errorf("flight: %w", r.err)
	}
	return r.data.Bytes(), nil
}

// tail estimates three times the p99, accurate to an eighth. It is safe for concurrent use.
type tail struct {
	n      atomic.Int64
	counts [64 * 8]atomic.Int64 // indexed by the power of two and the next three bits
	bound  atomic.Int64
}

// Computing the bound costs about 300 ns.
const boundInterval = 256

func (t *tail) add(v int64) (bound int64) {
	bound = t.bound.Load()
	t.counts[bucket(v)].Add(1)
	if n := t.n.Add(1); n == tasksToLearn || n > tasksToLearn && n%boundInterval == 0 {
		t.bound.Store(times * t.p99Bound(n))
	}
	return bound
}

func (t *tail) p99Bound(n int64) int64 {
	above := n / 100
	for i := len(t.counts) - 1; i >= 0; i-- {
		if above -= t.counts[i].Load(); above < 0 {
			return upper(i)
		}
	}
	return 0
}

func bucket(v int64) int {
	v = max(v, 8)
	power := bits.Len64(uint64(v)) - 1
	return power*8 + int(v>>(power-3))&7
}

func upper(bucket int) int64 {
	power, part := bucket/8, int64(bucket%8)
	if power < 3 {
		return 8
	}
	return (8 + part + 1) << (power - 3)
}

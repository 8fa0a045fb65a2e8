//go:build !js

package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

var _ = register(Spec{
	Name: "pipe",
	Summary: "writes bytes into an operating system pipe, which another goroutine reads: system " +
		"calls and hand-overs without external waits",
	Kind: IO,
	Keys: []param.Key{
		{Name: "bytes", Kind: param.Size, Default: "64KiB", Doc: "bytes per task, at most 1GiB"},
	},
	New:   newPipes,
	Check: sizeUpTo("bytes", 1<<30, "1GiB"),
})

// A Linux pipe holds 64 KiB. A user with too many pipes gets 4 KiB, and a write then waits for the
// reader.
const pipeChunk = 32 << 10

func newPipes(_ uint64, v param.Values) (Workload, error) {
	w := &pipes{bytes: v.Size("bytes"), content: make([]byte, pipeChunk)}
	var err error
	once := func() error { return w.Do(context.Background(), 0) }
	if w.mean, err = machine.TimeAlone(once); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// pipes has a reused pipe and reading goroutine for each task in flight, and so two file
// descriptors.
type pipes struct {
	timeMoments
	bytes   int64
	content []byte

	mu      sync.Mutex
	idle    []*pipe
	all     map[*pipe]bool // all open pipes
	closed  bool
	readers sync.WaitGroup
}

type pipe struct {
	from, to *os.File
	// receives a token for each chunk that has been read; closed when reading has ended
	read chan struct{}
	err  error // why reading ended; valid after read is closed
}

func (w *pipes) Do(ctx context.Context, _ uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := w.acquire()
	if err != nil {
		return err
	}
	if err := w.writeChunks(ctx, p); err != nil {
		return errors.Join(err, w.remove(p)) // its reader may be anywhere in the task
	}
	w.putBack(p)
	return nil
}

func (w *pipes) writeChunks(ctx context.Context, p *pipe) error {
	for left := w.bytes; left > 0; {
		n := min(left, pipeChunk)
		if _, err := p.to.Write(w.content[:n]); err != nil {
			return err
		}
		if _, more := <-p.read; !more {
			return fmt.Errorf("reading: %w", p.err)
		}
		if left -= n; left == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (w *pipes) readTasks(p *pipe) {
	buffer := make([]byte, min(w.bytes, pipeChunk))
	for {
		for left := w.bytes; left > 0; left -= min(left, pipeChunk) {
			if _, p.err = io.ReadFull(p.from, buffer[:min(left, pipeChunk)]); p.err != nil {
				close(p.read)
				return
			}
			p.read <- struct{}{}
		}
	}
}

var errPipesClosed = errors.New("the workload is closed")

func (w *pipes) acquire() (*pipe, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errPipesClosed
	}
	if n := len(w.idle); n > 0 {
		p := w.idle[n-1]
		w.idle = w.idle[:n-1]
		return p, nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// buffered because the task may have ended before it receives the token
	p := &pipe{from: from, to: to, read: make(chan struct{}, 1)}
	if w.all == nil {
		w.all = map[*pipe]bool{}
	}
	w.all[p] = true
	w.readers.Go(func() { w.readTasks(p) })
	return p, nil
}

func (w *pipes) putBack(p *pipe) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.idle = append(w.idle, p)
	}
}

func (w *pipes) remove(p *pipe) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.all[p] {
		return nil
	}
	delete(w.all, p)
	return p.close()
}

func (p *pipe) close() error { return errors.Join(p.to.Close(), p.from.Close()) }

// Close makes tasks in flight fail.
func (w *pipes) Close() error {
	w.mu.Lock()
	var errs []error
	for p := range w.all {
		errs = append(errs, p.close())
	}
	w.all, w.idle, w.closed = nil, nil, true
	w.mu.Unlock()
	w.readers.Wait()
	return errors.Join(errs...)
}

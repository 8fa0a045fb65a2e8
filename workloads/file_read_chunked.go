//go:build !js

package workloads

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "file_read_chunked",
	Summary: "reads the files of file_read in chunks, from the page cache; a task can be " +
		"interrupted between chunks",
	Source: "Node.js, Don't block the event loop (or the worker pool): task partitioning",
	Kind:   IO,
	Keys: append(slices.Clip(fileKeys),
		param.Key{Name: "chunk", Kind: param.Size, Default: "64KiB",
			Doc: "bytes read at a time, at most 64MiB"}),
	New: newFileReadChunked,
	Check: func(v param.Values) error {
		return cmp.Or(sizeUpTo("chunk", 64<<20, "64MiB")(v), checkFiles(v))
	},
})

type fileReadChunked struct {
	*fileSet
	// reading at an offset is safe for concurrent use
	open    [2]*os.File
	chunk   int64
	nominal time.Duration // calibrated time of a chunk
	buffers sync.Pool     // of *[]byte of the size of a chunk
}

func newFileReadChunked(seed uint64, v param.Values) (Workload, error) {
	f, err := newFiles(seed, v)
	if err != nil {
		return nil, err
	}
	w := &fileReadChunked{fileSet: f, chunk: v.Size("chunk")}
	w.buffers.New = func() any { b := make([]byte, w.chunk); return &b }
	for i, path := range f.paths {
		if w.open[i], err = os.Open(path); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	whole := func(ctx context.Context, which int) error {
		return w.read(ctx, which, 0, w.chunks(which))
	}
	if err := f.measure(whole); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.nominal = max(1, f.durations[1]/time.Duration(w.chunks(1)))
	return w, nil
}

func (w *fileReadChunked) chunks(which int) int64 {
	return (w.sizes[which] + w.chunk - 1) / w.chunk
}

// Do checks ctx between chunks. It does not allocate in the steady state.
func (w *fileReadChunked) Do(ctx context.Context, seq uint64) error {
	which := w.Kind(seq)
	return w.read(ctx, which, 0, w.chunks(which))
}

// Chunk i starts at i × nominal, and a part reads the chunks that start within it. A short part may
// have no chunk.
func (w *fileReadChunked) DoPart(
	ctx context.Context, seq uint64, from, length time.Duration,
) (more bool, err error) {
	which := w.Kind(seq)
	n := w.chunks(which)
	first := min(n, w.chunksBefore(from))
	end := n
	if length < time.Duration(n)*w.nominal-from {
		// from+length may overflow
		end = min(n, w.chunksBefore(from+length))
	}
	return end < n, w.read(ctx, which, first, end)
}

func (w *fileReadChunked) chunksBefore(t time.Duration) int64 {
	n := int64(t / w.nominal)
	if t%w.nominal > 0 {
		n++
	}
	return n
}

func (w *fileReadChunked) read(ctx context.Context, which int, first, end int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	buffer := w.buffers.Get().(*[]byte)
	defer w.buffers.Put(buffer)
	for i := first; i < end; i++ {
		offset := i * w.chunk
		if _, err := w.open[which].ReadAt((*buffer)[:min(w.chunk, w.sizes[which]-offset)],
			offset); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil && i+1 < end {
			return err
		}
	}
	return nil
}

func (w *fileReadChunked) Close() error {
	var errs []error
	for _, file := range w.open {
		if file == nil {
			continue // the constructor failed before opening this file
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, w.fileSet.Close())...)
}

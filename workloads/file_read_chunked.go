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
	Summary: "reads the files of file_read in chunks, between which a task can be left: " +
		"partitioned, from the page cache",
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
	// kept open, because the parts of a task share nothing; reading at an offset is safe for
	// concurrent use
	open    [2]*os.File
	chunk   int64
	nominal time.Duration // of a chunk
	buffers sync.Pool     // of *[]byte, a chunk long
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
	w.nominal = max(1, f.lasts[1]/time.Duration(w.chunks(1)))
	return w, nil
}

// chunks is how many the file has; the last may be shorter than the others.
func (w *fileReadChunked) chunks(which int) int64 {
	return (w.sizes[which] + w.chunk - 1) / w.chunk
}

// Do reads the file's chunks in turn and checks ctx between them. It does not allocate in the
// steady state.
func (w *fileReadChunked) Do(ctx context.Context, seq uint64) error {
	which := w.Kind(seq)
	return w.read(ctx, which, 0, w.chunks(which))
}

// DoPart implements Partitioned with nominal times: chunk i begins at i times a chunk's calibrated
// time, and a part reads the chunks that begin within it. Adjacent parts neither omit nor repeat a
// chunk, and a short part may have none.
func (w *fileReadChunked) DoPart(
	ctx context.Context, seq uint64, from, length time.Duration,
) (more bool, err error) {
	which := w.Kind(seq)
	n := w.chunks(which)
	first := min(n, w.beginningBefore(from))
	end := n
	if length < time.Duration(n)*w.nominal-from {
		// the sum of the two might be more than a Duration holds
		end = min(n, w.beginningBefore(from+length))
	}
	return end < n, w.read(ctx, which, first, end)
}

// beginningBefore returns the number of chunks that begin before t in an infinite file.
func (w *fileReadChunked) beginningBefore(t time.Duration) int64 {
	n := int64(t / w.nominal)
	if t%w.nominal > 0 {
		n++
	}
	return n
}

// read reads the chunks from first up to, not including, end.
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

// Close closes the files and removes them and their directory.
func (w *fileReadChunked) Close() error {
	var errs []error
	for _, file := range w.open {
		if file == nil {
			continue // making the workload failed before it
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, w.fileSet.Close())...)
}

//go:build !js

package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/registry"
)

var _ = register(Spec{
	Name: "file_read",
	Summary: "reads a whole file into memory, small or large, from the page cache and not from " +
		"the disk",
	Source: "Node.js, Don't block the event loop (or the worker pool): fs.readFile",
	Kind:   IO,
	Keys:   fileKeys,
	New: func(seed uint64, v param.Values) (Workload, error) {
		f, err := newFiles(seed, v)
		if err != nil {
			return nil, err
		}
		w := &fileRead{fileSet: f}
		for i, size := range f.sizes {
			w.buffers[i].New = func() any { b := make([]byte, size); return &b }
		}
		if err := f.measure(w.read); err != nil {
			return nil, err
		}
		return w, nil
	},
	Check: checkFiles,
})

var fileKeys = []param.Key{
	{Name: "p", Kind: param.Float, Default: "0.05", Doc: "share of large files, from 0 to 1"},
	{Name: "small", Kind: param.Size, Default: "64KiB", Doc: "size of a small file"},
	{Name: "large", Kind: param.Size, Default: "4MiB", Doc: "size of a large file, at most 1GiB"},
	{Name: "dir", Kind: param.Text, Default: "temp", Doc: "existing directory for the files, " +
		"which are created in a new subdirectory; temp: the system's directory for temporary " +
		"files"},
}

func checkFiles(v param.Values) error {
	small, large := v.Size("small"), v.Size("large")
	switch {
	case small == 0:
		return errors.New("small: must be positive, got 0")
	case small >= large:
		return fmt.Errorf("small: must be smaller than large, got small=%d and large=%d", small,
			large)
	case large > 1<<30:
		return fmt.Errorf("large: must be at most 1GiB, got %d bytes", large)
	}
	_, err := registry.NewCoin(0, v, "p")
	return err
}

// Reads come from the page cache, so a task measures system calls and copying, not a disk.
type fileSet struct {
	registry.Coin // rare files are large
	dir           *files.ScratchDir
	paths         [2]string
	sizes         [2]int64
	durations     [2]time.Duration // time to read each file alone
	timeMoments                    // from durations
}

func newFiles(seed uint64, v param.Values) (f *fileSet, err error) {
	f = &fileSet{Coin: registry.Coin{Seed: seed, P: v.Float("p")},
		sizes: [2]int64{v.Size("small"), v.Size("large")}}
	if f.dir, err = filesDir(v); err != nil {
		return nil, err
	}
	for i, name := range []string{"small", "large"} {
		f.paths[i] = filepath.Join(f.dir.Path, name)
		if err := writeRandom(f.paths[i], f.sizes[i]); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
		}
	}
	return f, nil
}

func filesDir(v param.Values) (*files.ScratchDir, error) {
	base := ""
	if v.Given("dir") {
		base = v.Text("dir")
	}
	dir, err := files.NewScratch(base, "files")
	if err != nil {
		err = fmt.Errorf("dir: %w", err)
	}
	return dir, err
}

func writeRandom(path string, size int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, rand.NewChaCha8([32]byte{}), size)
	return errors.Join(err, file.Close())
}

func (f *fileSet) measure(read func(ctx context.Context, which int) error) (err error) {
	for i := range f.durations {
		if f.durations[i], err = machine.TimeAlone(func() error {
			return read(context.Background(), i)
		}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	f.mean, f.c2 = f.Moments(f.durations[0], f.durations[1])
	return nil
}

func (f *fileSet) Long(seq uint64) bool { return f.Rare(seq) }

func (f *fileSet) Close() error { return f.dir.Remove() }

type fileRead struct {
	*fileSet
	// of *[]byte of the size of the file; reused to spare the garbage collector
	buffers [2]sync.Pool
}

func (w *fileRead) Do(ctx context.Context, seq uint64) error { return w.read(ctx, w.Kind(seq)) }

func (w *fileRead) read(ctx context.Context, which int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := os.Open(w.paths[which])
	if err != nil {
		return err
	}
	buffer := w.buffers[which].Get().(*[]byte)
	defer w.buffers[which].Put(buffer)
	_, err = io.ReadFull(file, *buffer)
	return errors.Join(err, file.Close())
}

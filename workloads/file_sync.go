//go:build !js

package workloads

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine"
)

var _ = register(Spec{
	Name: "file_sync",
	Summary: "appends to a file and waits for the disk: an fsync each task, the minimum for data that " +
		"must survive a loss of power",
	Source: "SQLite, PRAGMA synchronous=FULL; Redis, appendfsync always",
	Kind:   IO,
	Keys: []param.Key{
		{Name: "bytes", Kind: param.Size, Default: "256", Doc: "bytes appended by a task, at " +
			"most 1MiB"},
		{Name: "dir", Kind: param.Text, Default: "temp", Doc: "existing directory for the file, " +
			"which is created in a new subdirectory; temp: the system's directory for temporary " +
			"files"},
	},
	New:   newFileSync,
	Check: sizeUpTo("bytes", 1<<20, "1MiB"),
})

// fileSync is calibrated with one task. Concurrent tasks may share an fsync.
type fileSync struct {
	dir  *files.ScratchDir
	file *os.File
	text []byte
	timeMoments
}

func newFileSync(_ uint64, v param.Values) (Workload, error) {
	dir, err := filesDir(v)
	if err != nil {
		return nil, err
	}
	w := &fileSync{dir: dir, text: make([]byte, v.Size("bytes"))}
	if w.file, err = os.OpenFile(filepath.Join(dir.Path, "log"),
		os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	once := func() error { return w.Do(context.Background(), 0) }
	if w.mean, err = machine.TimeAlone(once); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *fileSync) Do(ctx context.Context, _ uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := w.file.Write(w.text); err != nil {
		return err
	}
	return w.file.Sync()
}

func (w *fileSync) Close() error {
	err := w.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, w.dir.Remove())
}

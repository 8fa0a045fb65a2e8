package directory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

// nextSuffix is the extension of a file that will replace another one.
const nextSuffix = ".next"

// The final contents are followed by partial results of current runs. To replace these, the whole
// file is replaced.
type dirFile struct {
	*os.File
	path string
	good int64  // size of the final contents
	tail []byte // partial results after the final contents
}

func openDirFile(path string) (*dirFile, error) {
	path, err := files.Target(path) // a rename must replace the target of a link
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &dirFile{File: f, path: path}, nil
}

func (f *dirFile) Write(p []byte) (int, error) {
	if len(f.tail) == 0 {
		n, err := f.File.Write(p)
		f.good += int64(n)
		return n, err
	}
	next, err := f.writeNext(p, f.tail)
	if err == nil {
		err = f.replaceBy(next)
	}
	if err != nil {
		return 0, errors.Join(err, f.removeNext())
	}
	return len(p), nil
}

func (f *dirFile) writeNext(more, tail []byte) (*dirFile, error) {
	next, err := openDirFile(f.path + nextSuffix)
	if err != nil {
		return nil, err
	}
	next.good, next.tail = f.good+int64(len(more)), tail
	_, err = io.Copy(next.File, io.NewSectionReader(f.File, 0, f.good))
	for _, part := range [][]byte{more, tail} {
		if err == nil {
			_, err = next.File.Write(part)
		}
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

func (f *dirFile) removeNext() error {
	if err := os.Remove(f.path + nextSuffix); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *dirFile) replaceBy(next *dirFile) error {
	if err := os.Rename(next.path, f.path); err != nil {
		return errors.Join(err, next.Close())
	}
	next.path = f.path
	err := f.Close()
	*f = *next
	return err
}

// replace adds to the final contents of the files and replaces their tails. The results file is the
// first to be written and the first to be renamed. After a kill, the remaining replacements are
// valid if that of the results file is gone (see catchUp), and useless otherwise.
func (d *Dir) replace(more, tails [len(dirFiles)][]byte) (err error) {
	var next [len(dirFiles)]*dirFile
	undo := func(err error) error {
		for i, f := range slices.Backward(d.files) {
			if next[i] != nil {
				err = errors.Join(err, next[i].Close())
			}
			err = errors.Join(err, f.removeNext())
		}
		return err
	}
	for i, f := range d.files {
		if next[i], err = f.writeNext(more[i], tails[i]); err != nil {
			return undo(fmt.Errorf("%s: %w", f.path, err))
		}
	}
	for i, f := range d.files {
		err = f.replaceBy(next[i])
		if next[i] = nil; err != nil {
			return undo(err)
		}
	}
	return nil
}

// catchUp completes a replace that was killed after it had renamed the results file.
func (d *Dir) catchUp() error {
	for _, name := range dirFiles {
		path, err := files.Target(filepath.Join(d.path, name))
		if err != nil {
			return err
		}
		if name == rundir.ResultsFile {
			if _, err := os.Lstat(path + nextSuffix); err == nil {
				return nil
			}
			continue
		}
		if err := os.Rename(path+nextSuffix, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f *dirFile) rename(path string) error {
	path, err := files.Target(path)
	if err == nil {
		err = os.Rename(f.path, path)
	}
	if err == nil {
		f.path = path
	}
	return err
}

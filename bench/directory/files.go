package directory

import (
	"errors"
	"io"
	"os"

	"github.com/poolbench/poolbench/internal/files/outfile"
)

// following is what the name of a file ends in that is going to take the place of another.
const following = ".next"

// A dirFile is a file of the directory that is being written: what is in it for good, and behind
// that what is known so far of runs that are not over. That much is replaced, by a whole file that
// takes the place of the old one, so that a kill leaves the one or the other.
type dirFile struct {
	*os.File
	path  string
	good  int64  // bytes that stay
	tail  []byte // what is to be behind them
	tails bool   // something is
}

// openDirFile opens the file at path, or makes it.
func openDirFile(path string) (*dirFile, error) {
	path, err := outfile.Target(path) // which a rename is to replace
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &dirFile{File: f, path: path}, nil
}

// Write adds to what stays.
func (f *dirFile) Write(p []byte) (int, error) {
	if !f.tails && len(f.tail) == 0 {
		n, err := f.File.Write(p)
		f.good += int64(n)
		return n, err
	}
	return len(p), f.replace(p)
}

// replace makes the file anew: what stays, more that stays, and the tail.
func (f *dirFile) replace(more []byte) error {
	next, err := openDirFile(f.path + following)
	if err != nil {
		return err
	}
	_, err = io.Copy(next.File, io.NewSectionReader(f.File, 0, f.good))
	for _, part := range [][]byte{more, f.tail} {
		if err == nil {
			_, err = next.File.Write(part)
		}
	}
	if err == nil {
		err = os.Rename(next.path, f.path)
	}
	if err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.path))
	}
	err = f.Close()
	f.File = next.File
	f.good, f.tails = f.good+int64(len(more)), len(f.tail) > 0
	return err
}

// rename moves the file to another path.
func (f *dirFile) rename(path string) error {
	path, err := outfile.Target(path)
	if err == nil {
		err = os.Rename(f.path, path)
	}
	if err == nil {
		f.path = path
	}
	return err
}

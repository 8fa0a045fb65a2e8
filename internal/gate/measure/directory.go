package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
)

// openOut makes the directory of the results, before any work is done for them, and takes it for
// this gate alone; what force is to replace must be a gate. close takes away again what was made
// and has stayed empty.
func openOut(dir string, force bool, beside string) (close func() error, err error) {
	var made []string // innermost first
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	held, err := lock.Take(dir)
	close = func() error {
		var err error
		if held != nil {
			err = held.Release()
		}
		for _, at := range made {
			_ = os.Remove(at) // not while there is something in it
		}
		return err
	}
	if err == nil && force {
		err = holdsGate(dir, beside)
	}
	if err != nil {
		return nil, errors.Join(err, close())
	}
	return close, nil
}

// holdsGate complains of a directory with anything but a gate, and the one file beside it.
func holdsGate(dir, beside string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		path, err := filepath.Abs(beside)
		return e.Name() == lock.FileName || err == nil && path == filepath.Join(dir, e.Name())
	})
	if _, err := os.Stat(filepath.Join(dir, planFile)); err != nil && len(others) > 0 {
		return fmt.Errorf("%s exists and holds no gate (it has no %s)", dir, planFile)
	}
	return nil
}

// removeGate takes an older gate's files away, so that none of it is taken for the new one's; what
// tells that they are a gate's goes last. What is not a gate's stays.
func removeGate(dir string) error {
	for _, name := range slices.Concat(resultFiles[:], controlFiles[:],
		[]string{rundir.ReportFile, planFile}) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

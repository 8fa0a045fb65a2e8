package execute

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/files"
)

// Without --out, the name of the directory is the time, with a number if several start in one
// second.
func createDir(o options.RunOptions, now time.Time) (*directory.Dir, error) {
	mode, err := o.Mode()
	if err != nil {
		return nil, err
	}
	if o.Out != "" {
		dir, err := directory.Create(o.Out, mode)
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("--out: %s exists already: --force replaces its results, "+
				"--append adds to them", o.Out)
		case err != nil:
			return nil, fmt.Errorf("--out: %w", err)
		}
		return dir, nil
	}
	for name := now.Format("20060102-150405"); ; {
		dir, err := directory.Create(filepath.Join(flags.OutRoot, flags.FreeName(flags.OutRoot,
			name)), directory.New)
		held := (*files.HeldError)(nil)
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrExist) && !errors.As(err, &held):
			return nil, fmt.Errorf("%w (--out names another directory)", err)
		} // otherwise another process has created it first
	}
}

// pointLatest renames a new link over the old one, so a link always exists.
func pointLatest(run string) error {
	name := filepath.Base(run)
	latest := filepath.Join(flags.OutRoot, "latest")
	if info, err := os.Lstat(latest); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is no link", latest)
	}
	beside := latest + "." + name
	if err := os.Symlink(name, beside); err != nil {
		return err
	}
	if err := os.Rename(beside, latest); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return nil
}

func openDir(h *Host, o options.RunOptions) (*directory.Dir, error) {
	dir, err := createDir(o, time.Now())
	if err != nil {
		return nil, err
	}
	dir.Explain(causes)
	if h.CommandLine != "" {
		if err := dir.RecordCommand(h.CommandLine); err != nil {
			return nil, errors.Join(err, dir.Close(0, err))
		}
	}
	if o.Out == "" {
		// optional, because not every system has links
		if err := pointLatest(dir.Path()); err != nil {
			h.Complain(fmt.Errorf("cannot update the link latest: %w", err))
		}
	}
	return dir, nil
}

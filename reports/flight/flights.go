package flight

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/poolbench/poolbench/internal/files/bounded"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

// A Flight is the trace of a slow task of a run.
type Flight struct {
	Run  string // the strategy, or the name of the run
	Path string // for `go tool trace`
	Text string // what it shows, or why that cannot be told
}

// mostBytes is the size up to which a trace is read: the runtime's bound is a hint to it.
const mostBytes = 4 << 26

// Of are those of the runs in a directory, in the order of the runs.
func Of(dir string, runs []results.Run) (all []Flight, err error) {
	for i := range runs {
		r := &runs[i]
		seed, err := strconv.ParseUint(r.Seed, 10, 64)
		if err != nil || results.Lookup(r.Keys, "flight") == "" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(
			rundir.ProfileFile(r.Name, seed, rundir.FlightKind)))
		data, err := bounded.ReadFile(path, mostBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no task was slow
		} else if err != nil {
			return all, err
		}
		f := Flight{Run: fmt.Sprintf("%s, seed %d", r.Series(), seed), Path: path}
		if a, err := Read(data); err != nil {
			f.Text = fmt.Sprintf("its trace cannot be read: %v", err)
		} else {
			f.Text = a.String()
		}
		all = append(all, f)
	}
	return all, nil
}

// File is the name of its file.
func (f Flight) File() string { return filepath.Base(f.Path) }

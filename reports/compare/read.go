package compare

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

const ofTasks = "tasks"

// A Source locates the tasks of a run: its directory and tag.
type Source struct{ Dir, Tag string }

// SourceOf returns the source of a run in a directory.
func SourceOf(dir string, r *results.Run) Source { return Source{dir, r.Tag(ofTasks)} }

// Tasks contains the tasks of a run.
type Tasks struct{ tasks *rundir.Tasks }

// Responses returns the response of each task in nanoseconds, or below 0 if it did not complete. It
// is empty if the directory has none.
func (t *Tasks) Responses() []int64 {
	if t == nil {
		return nil
	}
	return t.tasks.Responses
}

// ReadTasks reads the wanted runs' tasks from their directories. Missing ones stay nil.
func ReadTasks(wanted map[Source]*Tasks) error {
	dirs := map[string]bool{}
	for s := range wanted {
		dirs[s.Dir] = true
	}
	delete(dirs, "") // runs outside of directories
	for dir := range dirs {
		err := rundir.EachTasks(filepath.Join(dir, rundir.DistributionsFile),
			func(tag string) bool {
				_, ok := wanted[Source{dir, tag}]
				return ok
			}, func(tag string, tasks *rundir.Tasks) { wanted[Source{dir, tag}] = &Tasks{tasks} })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

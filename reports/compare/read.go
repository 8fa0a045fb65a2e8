package compare

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

// ofTasks is the reading of a tag with the tasks of a run.
const ofTasks = "tasks"

// A Source is where the tasks of a run are: its directory and tag.
type Source struct{ Dir, Tag string }

// SourceOf is that of a run in a directory.
func SourceOf(dir string, r *results.Run) Source { return Source{dir, r.Tag(ofTasks)} }

// Tasks are those of a run, as its directory has them.
type Tasks struct{ kept *rundir.Tasks }

// Responses are those of each task in nanoseconds, below 0 where it did not complete; none where
// the directory has none.
func (t *Tasks) Responses() []int64 {
	if t == nil {
		return nil
	}
	return t.kept.Responses
}

// ReadTasks reads what directories have of the tasks of the runs that are wanted. What is not there
// stays nil, as for a file that is no directory.
func ReadTasks(wanted map[Source]*Tasks) error {
	dirs := map[string]bool{}
	for s := range wanted {
		dirs[s.Dir] = true
	}
	delete(dirs, "") // of runs that are in no directory
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

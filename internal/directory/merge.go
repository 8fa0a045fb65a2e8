package directory

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// partial reports that the last section has no end mark, or that its end mark is partial.
func Read(path string) (all []*bench.Result, partial bool, err error) {
	file, err := rundir.ResultsIn(path)
	if err != nil {
		return nil, false, err
	}
	sections, _, err := readSections(file)
	if err != nil {
		return nil, false, err
	}
	take, err := new(contents).readRest(path)
	if err != nil {
		return nil, false, err
	}
	for _, s := range sections {
		partial = partial || !s.complete
		for _, r := range s.results {
			n := take(r)
			if len(r.Timeline) == 0 || len(r.Readings) == 0 && hasTimes(r) {
				return nil, false, fmt.Errorf("%s: run %d of %s has no distributions or no timeline",
					path, n, r.Name)
			}
			for _, m := range Machine() { // in a fixed order
				if value, ok := s.config[m.Key]; ok {
					r.Machine = append(r.Machine,
						benchfmt.Config{Key: m.Key, Value: []byte(value), File: true})
				}
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, false, fmt.Errorf("%s contains no results", path)
	}
	return all, partial, nil
}

func hasTimes(r *bench.Result) bool {
	_, ok := r.Metric(metric.MeanResponse)
	return ok
}

// Merge merges the i-th runs of each name. leftOut lists the metrics that cannot be merged, partial
// the partial directories.
func Merge(paths []string) (merged []*bench.Result, leftOut, partial []string, err error) {
	defer func() {
		if err != nil && partial != nil {
			err = fmt.Errorf("%w (partial: %s)", err, text.List(partial))
		}
	}()
	byName := map[string][][]*bench.Result{} // by name and repetition
	var order []string
	var dirs []os.FileInfo
	for at, path := range paths {
		all, cut, err := Read(path)
		if err != nil {
			return nil, nil, partial, err
		}
		if cut {
			partial = append(partial, path)
		}
		dir, err := os.Stat(path)
		if err != nil {
			return nil, nil, partial, err
		}
		if i := slices.IndexFunc(dirs, func(of os.FileInfo) bool {
			return os.SameFile(of, dir)
		}); i >= 0 {
			return nil, nil, partial, fmt.Errorf("%s and %s are the same directory, whose load "+
				"would count twice", path, paths[i])
		}
		dirs = append(dirs, dir)
		next := map[string]int{}
		for _, r := range all {
			if strings.Contains(r.Name, "/clock=virtual") {
				return nil, nil, partial, fmt.Errorf("%s: %s ran under the virtual clock, so it "+
					"cannot be a part of a shared load; to add repetitions, use run --append", path, r.Name)
			}
			n := next[r.Name]
			next[r.Name]++
			runs := byName[r.Name]
			if at > 0 && (n >= len(runs) || len(runs[n]) != at) {
				return nil, nil, partial, fmt.Errorf("%s: run %d of %s is not in %s, so they are "+
					"not parts of one load", path, n, r.Name, paths[0])
			}
			if at == 0 && n == 0 {
				order = append(order, r.Name)
			}
			if at == 0 {
				runs = append(runs, nil)
			}
			runs[n] = append(runs[n], partOf(r, path, cut))
			byName[r.Name] = runs
		}
	}
	for _, name := range order {
		for n, parts := range byName[name] {
			if len(parts) < len(paths) {
				return nil, nil, partial, fmt.Errorf("run %d of %s is in %d of %d directories", n, name,
					len(parts), len(paths))
			}
			r, left, err := observe.MergeResults(parts, false)
			if err != nil {
				return nil, nil, partial, err
			}
			r.Name = ofAll(r.Name, len(parts))
			merged, leftOut = append(merged, r), left
		}
	}
	return merged, leftOut, partial, nil
}

// Values of the summedAxes are summed over generators.
var summedAxes = lazyregexp.New(`/(rate|n|sessions|arrival=closed:clients)=[^/,]+`)

func ofAll(name string, generators int) string {
	return summedAxes.ReplaceAllStringFunc(name, func(axis string) string {
		i := strings.LastIndexByte(axis, '=') + 1
		each, err := strconv.ParseFloat(axis[i:], 64)
		if err != nil {
			return axis
		}
		all := each * float64(generators)
		if strings.HasPrefix(axis, "/rate") {
			return axis[:i] + fmt.Sprint(all)
		}
		return axis[:i] + strconv.FormatFloat(all, 'f', -1, 64)
	})
}

func partOf(r *bench.Result, path string, partial bool) *bench.Result {
	r.Agents = []string{fmt.Sprintf("%s requests %d %v", path, r.Tasks, r.Verdict)}
	for i := range r.Reasons {
		r.Reasons[i].Text = path + ": " + r.Reasons[i].Text
	}
	for i := range r.Broken {
		r.Broken[i] = path + ": " + r.Broken[i]
	}
	if partial {
		r.Doubt(result.Suspect, "agent", "%s: the directory is partial: not all of its runs ended", path)
	}
	return r
}

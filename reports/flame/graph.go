// Package flame draws where something was spent, from profiles in pprof's format: one graph of a
// strategy, or two strategies held against each other, function by function.
package flame

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/internal/files/bounded"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

// A frame is a function with what it and those that it calls took, per task: of the strategy
// itself, and of the one that it is held against.
type frame struct {
	name     string
	of, base float64
	children []*frame
}

// spend adds what a stack took, its outermost function first.
func (f *frame) spend(stack []string, of, base float64) {
	f.of += of
	f.base += base
	if len(stack) == 0 {
		return
	}
	i := slices.IndexFunc(f.children, func(c *frame) bool { return c.name == stack[0] })
	if i < 0 {
		i = len(f.children)
		f.children = append(f.children, &frame{name: stack[0]})
	}
	f.children[i].spend(stack[1:], of, base)
}

// sort puts the children in the order of their names, so that the same program gives the same
// picture.
func (f *frame) sort() {
	slices.SortFunc(f.children, func(a, b *frame) int { return cmp.Compare(a.name, b.name) })
	for _, c := range f.children {
		c.sort()
	}
}

// own is what the function itself took.
func (f *frame) own() (of, base float64) {
	of, base = f.of, f.base
	for _, c := range f.children {
		of, base = of-c.of, base-c.base
	}
	return of, base
}

// A measure is what a profile of a kind is read for.
type measure struct {
	kind, sample string // a profile's, and the type of its values
	what         string // "CPU time"
	bytes        bool   // instead of nanoseconds
	ours         bool   // of strategy and tasks alone: all others wait all the time
}

var measures = []measure{
	{"cpu", "cpu", "of CPU time", false, false},
	{"goroutine", "time", "of goroutines' time", false, true},
	{"mutex", "delay", "of waiting for locks", false, false},
	{"block", "delay", "blocked on locks and channels", false, true},
	{"heap", "alloc_space", "allocated", true, false},
}

// read adds what the profiles of that kind say of the runs to the tree, per task. there is false
// where none of them has one.
func (m measure) read(root *frame, dir string, runs []*results.Run, base bool) (there bool,
	err error) {
	for _, r := range runs {
		seed, err := strconv.ParseUint(r.Seed, 10, 64)
		if err != nil {
			continue // whose profile nobody can name
		}
		path := filepath.Join(dir, filepath.FromSlash(rundir.ProfileFile(r.Name, seed, m.kind)))
		p, err := readProfile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return there, fmt.Errorf("%s: %w", path, err)
		}
		there = there || m.add(root, p, 1/float64(max(r.Iters, 1)*len(runs)), base)
	}
	return there, nil
}

// mostBytes is the size up to which a profile is read.
const mostBytes = 64 << 20

func readProfile(path string) (*profile.Profile, error) {
	data, err := bounded.ReadFile(path, mostBytes)
	if err != nil {
		return nil, err
	}
	return profile.ParseData(data)
}

// add adds the samples of a profile, so many times.
func (m measure) add(root *frame, p *profile.Profile, times float64, base bool) bool {
	at := slices.IndexFunc(p.SampleType,
		func(t *profile.ValueType) bool { return t.Type == m.sample })
	if at < 0 {
		return false
	}
	for _, s := range p.Sample {
		part := strings.Join(s.Label["part"], " ")
		if m.ours && m.kind == "goroutine" && (part == "" || part == "harness") {
			continue
		}
		if watches(s) {
			continue
		}
		stack := []string{cmp.Or(part, others)}
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				switch name := functionOf(line); {
				case name == "" || name == "runtime.goexit":
				case isAttempt(name): // which a profile without labels knows a task by
					stack = []string{"task"}
				default:
					stack = append(stack, short(name))
				}
			}
		}
		if v := float64(s.Value[at]) * times; base {
			root.spend(stack, 0, v)
		} else {
			root.spend(stack, v, 0)
		}
	}
	return true
}

// others is the part of what is no part of a run.
const others = "runtime and others"

// own begins the names of the program's own functions, and watchers those of functions that watch
// the run.
const own = "github.com/poolbench/poolbench/"

var watchers = []string{own + "internal/machine/", own + "internal/cli"}

// isAttempt reports whether a function is what calls a task's work. Above it is how the strategy
// came there: without that, the same work has the same place under every strategy.
func isAttempt(function string) bool {
	return strings.HasPrefix(function, own+"bench") && strings.HasSuffix(function, ".attempt")
}

func functionOf(l profile.Line) string {
	if l.Function == nil {
		return ""
	}
	return l.Function.Name
}

// watches reports whether a stack is that of who watches the run. Profiles without labels have it,
// too.
func watches(s *profile.Sample) bool {
	return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
		return slices.ContainsFunc(l.Line, func(l profile.Line) bool {
			return slices.ContainsFunc(watchers, func(w string) bool {
				return strings.HasPrefix(functionOf(l), w)
			})
		})
	})
}

// short is the name of a function without the path of its package.
func short(function string) string {
	open := strings.IndexByte(function, '[') // of type parameters, which have paths of their own
	if open < 0 {
		open = len(function)
	}
	return function[strings.LastIndexByte(function[:open], '/')+1:]
}

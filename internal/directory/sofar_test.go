package directory_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/progress"
)

// soak returns the first partial and the final result.
func soak(t *testing.T, seed uint64) (soFar, whole *bench.Result) {
	t.Helper()
	s := scenarioOf(t, bench.Encoded{Limit: 4, Load: 0.5, Tasks: 10_000, Seed: seed})
	s.Soak = true
	var p progress.Tracker
	p.SoFar()
	whole, err := bench.Run(progress.NewContext(t.Context(), &p), s)
	if err != nil {
		t.Fatal(err)
	}
	soFar = p.SoFar()
	for _, r := range []*bench.Result{soFar, whole} {
		r.Add(observe.StageMetrics(1)[1].Unit, 1) // the metric's direction must be written once
	}
	return soFar, whole
}

var wholeRunTags = regexp.MustCompile(`Tag=[^,]*:(response|wait|service),`)

func TestWriteSoFar(t *testing.T) {
	first, one := soak(t, 1)
	second, other := soak(t, 2)
	plain, dir := t.TempDir(), t.TempDir()
	write(t, plain, directory.New, 2, nil, one, other)
	d, err := directory.Create(dir, directory.New)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(unfinished, finished int) {
		t.Helper()
		text := read(t, dir, "results.txt")
		if n := strings.Count(text, "# suspect: unfinished: "); n != unfinished {
			t.Errorf("%d results are unfinished, want %d", n, unfinished)
		}
		all := unfinished + finished
		if n := strings.Count(text, "\nBenchmark"); n != all {
			t.Errorf("%d results, want %d", n, all)
		}
		if n := wholeRunTags.FindAllString(read(t, dir, "distributions.hlog"), -1); len(n) != 3*all {
			t.Errorf("%d distributions, want %d", len(n), 3*all)
		}
		if n := strings.Count(read(t, dir, "timeline.csv"), ",1,"); all == 2 && n == 0 {
			t.Error("no timeline of the second run")
		}
	}
	for _, step := range []struct {
		do                   func() error
		unfinished, finished int
	}{
		{func() error { return d.WriteSoFar(first) }, 1, 0},
		{func() error { return d.WriteSoFar(second) }, 2, 0},
		{func() error { return d.WriteSoFar(first) }, 2, 0},
		{func() error { return d.Write(one) }, 1, 1},
		{func() error { return d.Write(other) }, 0, 2},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		holds(step.unfinished, step.finished)
	}
	if err := d.Close(2, nil); err != nil {
		t.Fatal(err)
	}
	for _, file := range resultFiles {
		if read(t, plain, file) != read(t, dir, file) {
			t.Errorf("%s is not that of runs that were written once", file)
		}
	}
}

func TestSoFarAtOnce(t *testing.T) {
	first, _ := soak(t, 1)
	second := *first
	second.Tasks++
	second.Timeline = slices.Clone(first.Timeline)
	second.Timeline[0].Arrived++
	plan := func(string, uint64) bool { return true }
	begun := func(dir string, all ...*bench.Result) (d *directory.Dir) {
		d, err := directory.Create(dir, directory.New)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Begin("one", plan); err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if err := d.WriteSoFar(r); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	holds := func(name, dir string, want *bench.Result) {
		t.Helper()
		d, err := directory.Create(dir, directory.Resume)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Begin("one", plan); err != nil {
			t.Fatal(err)
		}
		_, has := d.Earlier(first.Name, first.Seed)
		if has == nil || has.Tasks != want.Tasks ||
			has.Timeline[0].Arrived != want.Timeline[0].Arrived {
			t.Errorf("%s: %+v", name, has)
		}
		if err := d.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	old, new := t.TempDir(), t.TempDir()
	for dir, all := range map[string][]*bench.Result{old: {first}, new: {first, &second}} {
		if err := begun(dir, all...).Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	// all replacements are written before they are renamed
	for step := range 2 * len(resultFiles) {
		dir, want := t.TempDir(), first
		for i, name := range resultFiles {
			beside, there := i <= step, old
			if step >= len(resultFiles) {
				want = &second
				if beside = i > step-len(resultFiles); !beside {
					there = new
				}
			}
			put := func(from, as string) {
				err := os.WriteFile(filepath.Join(dir, as), []byte(read(t, from, name)), 0o600)
				if err != nil {
					t.Fatal(err)
				}
			}
			if put(there, name); beside {
				put(new, name+".next")
			}
		}
		holds(fmt.Sprint("step ", step), dir, want)
	}
	for _, name := range resultFiles { // one of the files cannot be written
		dir := t.TempDir()
		d := begun(dir, first)
		if err := os.Mkdir(filepath.Join(dir, name+".next"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteSoFar(&second); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := d.Unlock(); err != nil {
			t.Fatal(err)
		}
		holds(name, dir, first)
	}
	for _, name := range resultFiles { // one of the files cannot be replaced
		dir := t.TempDir()
		d := begun(dir, first)
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Remove(path), os.MkdirAll(path+"/inside", 0o700)); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteSoFar(&second); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*.next"))
		if left != nil {
			t.Errorf("%s: %v is left", name, left)
		}
		if err := d.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

// A partial result must stay until the run has a result, even if the run fails or the directory is
// resumed or extended.
func TestSoFarStays(t *testing.T) {
	soFar, whole := soak(t, 1)
	plan := func(string, uint64) bool { return true }
	for name, end := range map[string]func(d *directory.Dir) error{
		"failed": func(d *directory.Dir) error {
			return d.Fail(whole.Name, whole.Seed, "no more")
		},
		"interrupted": func(*directory.Dir) error { return nil },
		"killed":      nil,
	} {
		dir := t.TempDir()
		d, err := directory.Create(dir, directory.New)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Begin("one", plan), d.WriteSoFar(soFar)); err != nil {
			t.Fatal(err)
		}
		if end == nil {
			err = d.Unlock()
		} else {
			err = errors.Join(end(d), d.Close(1, errors.New("interrupted")))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"", "resumed", "resumed again"} {
			if step != "" {
				if d, err = directory.Create(dir, directory.Resume); err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(d.Begin("one", plan), d.Unlock()); err != nil {
					t.Fatal(err)
				}
			}
			if n := strings.Count(read(t, dir, "results.txt"), "# suspect: unfinished: "); n != 1 {
				t.Errorf("%s, %s: %d unfinished results", name, step, n)
			}
		}
		if d, err = directory.Create(dir, directory.Resume); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Begin("one", plan), d.Write(whole), d.Close(1, nil)); err != nil {
			t.Fatal(err)
		}
		text := read(t, dir, "results.txt")
		if strings.Contains(text, "unfinished") || strings.Count(text, "\nBenchmark") != 1 {
			t.Errorf("%s: at last it holds\n%s", name, text)
		}
	}
}

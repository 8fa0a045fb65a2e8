package directory_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/directory"
)

// soak is a soak, and what it had at its beginning.
func soak(t *testing.T, seed uint64) (soFar, whole *bench.Result) {
	t.Helper()
	s := scenarioOf(t, bench.Written{Limit: 4, Load: 0.5, Tasks: 10_000, Seed: seed})
	s.Soak = true
	var p bench.Progress
	p.SoFar()
	whole, err := bench.Run(bench.WithProgress(t.Context(), &p), s)
	if err != nil {
		t.Fatal(err)
	}
	return p.SoFar(), whole
}

// wholes finds the histograms of whole runs.
var wholes = regexp.MustCompile(`Tag=[^,]*:(response|wait|service),`)

// TestWriteSoFar: what is written of runs that go on is there until their results are, and then
// the files are those of runs of which nothing was written before.
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
		if n := wholes.FindAllString(read(t, dir, "distributions.hlog"), -1); len(n) != 3*all {
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

// TestSoFarStays: what was written of a run stays when it fails, when it is interrupted, and when
// the directory is gone on with or appended to, until there is its result.
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

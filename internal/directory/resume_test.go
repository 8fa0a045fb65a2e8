package directory_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/rundir"
)

// planned returns two scenarios with three repetitions and their results. Names contain commas, and
// one result is SUSPECT.
func planned(t *testing.T) (suite bench.Suite, results []*bench.Result) {
	t.Helper()
	suite.Count = 3
	for _, strategy := range []string{"worker_pool", "semaphore"} {
		w := bench.Encoded{Strategy: strategy, Workload: "hyperexp:mean=20ms,c2=16", Limit: 4,
			Load: 0.9, Tasks: 500, Seed: 7}
		suite.Scenarios = append(suite.Scenarios, scenarioOf(t, w))
	}
	for i := range suite.Runs() {
		results = append(results, resultOf(t, suite.At(i)))
	}
	results[0].Doubt(result.Invalid, "broken law", "bound: 5 in flight: limit 4")
	results[0].Broken = []string{"bound: 5 in flight: limit 4"}
	slices.SortStableFunc(results[0].Reasons, func(a, b result.Reason) int {
		return strings.Compare(a.Check, b.Check)
	})
	return suite, results
}

// writeInterrupted writes n results, or a failure if fails returns true, and does not Close.
func writeInterrupted(
	t *testing.T, dir string, mode directory.Mode, suite bench.Suite, results []*bench.Result,
	n int, fails func(i int) bool,
) {
	t.Helper()
	d, err := directory.Create(dir, mode)
	if err != nil {
		t.Fatal(err)
	}
	d.KeepResponses(rundir.MaxResponses)
	if err := d.BeginSuites([]bench.Suite{suite}, false); err != nil {
		t.Fatal(err)
	}
	for i, r := range results[:n] {
		if fails(i) {
			err = d.Fail(r.Name, r.Seed, r.Name+": no luck\nat all")
		} else {
			err = d.Write(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Unlock(); err != nil { // as the system does after a kill
		t.Fatal(err)
	}
}

// resume writes missing results up to number to, and returns how many were missing.
func resume(
	t *testing.T, dir string, suite bench.Suite, results []*bench.Result, to int, interrupted error,
) (measured int) {
	t.Helper()
	d, err := directory.Create(dir, directory.Resume)
	if err != nil {
		t.Fatal(err)
	}
	d.KeepResponses(rundir.MaxResponses)
	if err := d.BeginSuites([]bench.Suite{suite}, false); err != nil {
		t.Fatal(err)
	}
	for i, r := range results[:to] {
		kept := d.Stored(suite.At(i))
		if kept == nil {
			kept = r
			measured++
		} else if diff := cmp.Diff(r, kept); diff != "" {
			t.Errorf("%s (seed %d) is kept as another:\n%s", r.Name, r.Seed, diff)
		}
		if err := d.Write(kept); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(len(results), interrupted); err != nil {
		t.Fatal(err)
	}
	return measured
}

func same(t *testing.T, want, got string) {
	t.Helper()
	entries, err := os.ReadDir(got)
	if err != nil || len(entries) != len(resultFiles) {
		t.Errorf("%d files are left (%v)", len(entries), err)
	}
	for _, file := range resultFiles {
		if diff := cmp.Diff(read(t, want, file), read(t, got, file)); diff != "" {
			t.Errorf("%s differs from that of a run that was not interrupted:\n%.2000s", file, diff)
		}
	}
}

// A run that failed or was killed, even within a line, must be resumed to the bytes of an
// uninterrupted run, without measuring existing results again. A resumption may be interrupted,
// too.
func TestResume(t *testing.T) {
	suite, results := planned(t)
	whole := filepath.Join(t.TempDir(), "whole")
	writeInterrupted(t, whole, directory.New, suite, results, 0, nil)
	resume(t, whole, suite, results, len(results), nil)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range len(results) + 1 {
		for try := range 3 {
			dir := filepath.Join(t.TempDir(), "x")
			failed := 0
			writeInterrupted(t, dir, directory.New, suite, results, n, func(i int) bool {
				if try != 1 || i%2 == 0 {
					return false
				}
				failed++
				return true
			})
			missing := len(results) - n + failed
			if try == 2 && n > 0 { // cuts off the last result in one of the files
				missing++
				before := filepath.Join(t.TempDir(), "before")
				writeInterrupted(t, before, directory.New, suite, results, n-1,
					func(int) bool { return false })
				// 0 cuts off results.txt while the other files are complete
				at := random.IntN(len(resultFiles))
				for i, file := range []string{"distributions.hlog", "timeline.csv", "slowest.csv",
					"results.txt"} {
					from, to := len(read(t, before, file)), len(read(t, dir, file))
					switch {
					case i == at:
						to = from + random.IntN(to-from)
					case i > at:
						to = from
					}
					if err := os.Truncate(filepath.Join(dir, file), int64(to)); err != nil {
						t.Fatal(err)
					}
				}
			}
			first := 0
			if to := random.IntN(len(results) + 1); try > 0 {
				first = resume(t, dir, suite, results, to, errors.New("interrupted"))
			}
			if measured := first + resume(t, dir, suite, results, len(results),
				nil); measured != missing {
				t.Errorf("killed after %d, try %d: %d are measured, and %d were missing", n, try,
					measured, missing)
			}
			same(t, whole, dir)
		}
	}
}

// In an extended directory, the last plan must be resumed with seeds that follow the earlier ones.
func TestResumeAppended(t *testing.T) {
	suite, results := planned(t)
	var more []*bench.Result
	dirs := []string{filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "x")}
	for _, dir := range dirs {
		writeInterrupted(t, dir, directory.New, suite, results, 0, nil)
		resume(t, dir, suite, results, len(results), nil)
		d, err := directory.Create(dir, directory.Append)
		if err != nil {
			t.Fatal(err)
		}
		next := d.Continued(suite)
		if err := errors.Join(d.Close(0, nil)); err != nil {
			t.Fatal(err)
		}
		if more == nil {
			for i := range next.Runs() {
				more = append(more, resultOf(t, next.At(i)))
			}
		}
		if more[0].Seed != 10 || more[5].Seed != 12 {
			t.Fatalf("seeds %d to %d follow 7 to 9", more[0].Seed, more[5].Seed)
		}
		n := len(more)
		if dir == dirs[1] {
			n = 3
		}
		writeInterrupted(t, dir, directory.Append, next, more, n, func(int) bool { return false })
		if measured := resume(t, dir, next, more, len(more), nil); measured != len(more)-n {
			t.Errorf("%d are measured, and %d were missing", measured, len(more)-n)
		}
	}
	same(t, dirs[0], dirs[1])
}

func TestAnotherPlan(t *testing.T) {
	suite, results := planned(t)
	dir := filepath.Join(t.TempDir(), "x")
	writeInterrupted(t, dir, directory.New, suite, results, 3, func(int) bool { return false })
	before := read(t, dir, "results.txt")
	other := suite
	other.Count = 4
	fewer := suite
	fewer.Scenarios = suite.Scenarios[1:]
	for want, s := range map[string]bench.Suite{
		"was begun with another plan: 6 runs, ":                                      other,
		"it contains " + results[0].Name + " with seed 7, which is not in this plan": fewer,
	} {
		d, err := directory.Create(dir, directory.Resume)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.BeginSuites([]bench.Suite{s}, false); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if err := d.Close(1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, dir, "results.txt") != before {
		t.Error("it is not as it was")
	}
	moved := strings.Replace(before, "\ngoos: ", "\ngoos: not-", 1)
	if err := os.WriteFile(filepath.Join(dir, "results.txt"), []byte(moved), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := directory.Create(dir, directory.Resume)
	if err != nil {
		t.Fatal(err)
	}
	d.KeepResponses(rundir.MaxResponses)
	if err := d.BeginSuites([]bench.Suite{suite}, false); err == nil ||
		!strings.Contains(err.Error(), "all results of a directory must come from one build and one machine") {
		t.Errorf("another machine: error %v", err)
	}
	if err := d.Close(1, nil); err != nil {
		t.Fatal(err)
	}
}

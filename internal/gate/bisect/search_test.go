package bisect

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates int
		change     func(f *fake)
		found      int
		gates      int
		left       int
		says       string
	}{
		{name: "one commit", candidates: 1, change: func(f *fake) { f.level = from(1, 1.15) },
			found: 1, gates: 1},
		{name: "the first", candidates: 64, change: func(f *fake) { f.level = from(1, 1.15) },
			found: 1, gates: 8},
		{name: "the last", candidates: 64, change: func(f *fake) { f.level = from(64, 1.15) },
			found: 64, gates: 8},
		{name: "a hundred", candidates: 100, change: func(f *fake) { f.level = from(77, 1.15) },
			found: 77, gates: 9},
		{name: "ten times as slow", candidates: 16,
			change: func(f *fake) { f.level = from(5, 10) }, found: 5, gates: 6},
		{name: "throughput", candidates: 16, change: func(f *fake) {
			f.level, f.unit, f.better = from(5, 1/1.15), "ops/s", verdict.HigherIsBetter
		}, found: 5, gates: 6, says: "worse than 000000000004 by −1"},
		{name: "two steps, of which the second is larger", candidates: 16, change: func(f *fake) {
			f.level = func(commit int) float64 { return from(3, 1.05)(commit) * from(9, 1.1)(commit) }
		}, found: 9, gates: 6, says: "--bisect GOOD 000000000008 and --bisect 000000000009 BAD"},
		{name: "some do not build", candidates: 16, change: func(f *fake) {
			f.level = from(5, 1.15)
			f.broken = func(commit int) error {
				if slices.Contains([]int{6, 7, 8, 9}, commit) {
					return errBroken
				}
				return nil
			}
		}, found: 5, gates: 6, says: "skipped  the head does not build: example.org/m"},
		{name: "it does not build itself", candidates: 16, change: func(f *fake) {
			f.level = from(8, 1.15)
			f.broken = func(commit int) error {
				if commit == 8 || commit == 7 {
					return errBroken
				}
				return nil
			}
		}, gates: 6, left: 3, says: "one of 3 commits, of which 2 cannot be measured"},
		{name: "nothing in between builds", candidates: 16, change: func(f *fake) {
			f.level = from(8, 1.15)
			f.broken = func(commit int) error {
				if commit < 16 {
					return errBroken
				}
				return nil
			}
		}, gates: 1, left: 16, says: "    and 8 more, up to 000000000016"},
		{name: "no change", candidates: 16, change: func(f *fake) { f.level = from(99, 1) },
			gates: 1, says: "BAD is not worse than GOOD"},
		{name: "the wrong way about", candidates: 16,
			change: func(f *fake) { f.level = from(8, 0.8) },
			gates:  1, says: "BAD is not worse than GOOD"},
		{name: "a little worse", candidates: 64, change: func(f *fake) {
			f.level = func(commit int) float64 { return math.Pow(1.3, float64(commit)/64) }
		}, gates: 8, left: 1, says: "many commits each made it a little worse"},
		{name: "a machine that gets noisy", candidates: 64, change: func(f *fake) {
			calm := f.noise
			f.noise = func() float64 {
				if f.gates > 1 {
					return math.Exp(2 * f.rng.NormFloat64())
				}
				return calm()
			}
		}, gates: 2, left: 64, says: "the same command measures this commit again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, 3, from(20, 1.15))
			c.change(f)
			r, err := f.search(c.candidates)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := WriteText(&text, r, 0); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), c.says) {
				t.Errorf("no %q in\n%s", c.says, &text)
			}
			if f.gates > c.gates || r.Gates != f.gates || r.MostGates != maxGates(c.candidates) {
				t.Errorf("%d gates, reported %d of %d, want at most %d", f.gates, r.Gates,
					r.MostGates, c.gates)
			}
			if c.found == 0 {
				if r.Outcome != Undecided || r.Found != nil || r.ExitCode() != 3 || r.Next == "" ||
					len(r.Left) != c.left {
					t.Errorf("%s with %d commits left\n%s", r.Outcome, len(r.Left), &text)
				}
				return
			}
			if r.Outcome != Found || r.ExitCode() != 0 || r.Found == nil ||
				number(*r.Found) != c.found || number(*r.Before) != c.found-1 {
				t.Errorf("want %d\n%s", c.found, &text)
			}
		})
	}
}

func TestMostGates(t *testing.T) {
	for candidates, want := range map[int]int{1: 1, 2: 3, 3: 4, 4: 4, 5: 5, 64: 8, 65: 9, 1000: 12} {
		if got := maxGates(candidates); got != want {
			t.Errorf("%d commits: %d gates, want %d", candidates, got, want)
		}
	}
}

func report(rows ...verdict.Row) *verdict.Report { return &verdict.Report{Rows: rows} }

func row(benchmark, unit string, ratio float64) verdict.Row {
	return verdict.Row{Benchmark: benchmark, Metric: unit, Better: verdict.LowerIsBetter,
		Verdict: verdict.Worse, Old: verdict.Side{N: 20, Median: 100},
		New:   verdict.Side{N: 20, Median: 100 * ratio},
		Ratio: verdict.Number(ratio), Lo: verdict.Number(ratio - 0.01),
		Hi: verdict.Number(ratio + 0.01)}
}

func TestFollows(t *testing.T) {
	for _, c := range []struct {
		rows  []verdict.Row
		name  string
		allow []verdict.Allowance
	}{
		{[]verdict.Row{row("A", "sec/op", 1.1), row("B", "sec/op", 1.2), row("B", "B/op", 2)},
			"BenchmarkB sec/op", nil},
		{[]verdict.Row{row("A", measure.Instructions, 1.5), row("A", "B/op", 1.5),
			row("A", "allocs/op", 1.02)}, "BenchmarkA allocs/op",
			[]verdict.Allowance{{Benchmark: "A", Metric: "allocs/op", Amount: 1}}},
	} {
		var asked []Question
		s := &Search{Commits: history(3), Judge: judge.Defaults(), Say: func(string) {},
			Gate: func(_ context.Context, q Question) (*verdict.Report, error) {
				asked = append(asked, q)
				return report(c.rows...), nil
			}}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if name(r.Followed) != c.name || len(r.AlsoWorse) != len(c.rows)-1 {
			t.Errorf("%s is followed, want %s; %d others", name(r.Followed), c.name, len(r.AlsoWorse))
		}
		if diff := cmp.Diff(c.allow, asked[1].Allow); diff != "" {
			t.Error(diff)
		}
		for i, q := range asked {
			if err := q.Rule.Validate(); err != nil || (q.Followed == nil) != (i == 0) {
				t.Errorf("gate %d: %v, follows %v", i+1, err, q.Followed)
			}
		}
	}
}

func TestUntrusted(t *testing.T) {
	f := newFake(t, 5, from(20, 1.15))
	s := &Search{Commits: history(64), Judge: judge.Defaults(), Say: func(string) {},
		Gate: func(ctx context.Context, q Question) (*verdict.Report, error) {
			r, err := f.gate(ctx, q)
			if q.Stage == Middle {
				r.Unclear = []string{"the machine was too busy"}
				r.Distrust("a control failed")
			}
			return r, err
		}}
	r, err := s.Run(t.Context())
	if err != nil || r.Outcome != Undecided || !strings.Contains(r.Why, "the machine was too busy") ||
		len(r.Left) != 64 {
		t.Errorf("%+v, %v", r, err)
	}
}

// An interrupted search must measure only the gates that have no stored verdict.
func TestResume(t *testing.T) {
	const candidates, at = 64, 41
	commits := history(candidates)
	h := &measure.History{Commits: commits}
	o := measure.Defaults()
	open := func(dir string, o measure.Options, force bool) *Journal {
		t.Helper()
		j, err := OpenJournal(dir, h, o, force)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.held.Release() })
		return j
	}
	for interrupt := 1; interrupt <= 8; interrupt++ {
		dir := filepath.Join(t.TempDir(), "out")
		f := newFake(t, 1, from(at, 1.15))
		search := func(ctx context.Context, j *Journal, before func()) (*Report, error) {
			s := &Search{Commits: commits, Judge: o.Judge, Journal: j, Say: func(string) {},
				Gate: func(ctx context.Context, q Question) (*verdict.Report, error) {
					if before(); ctx.Err() != nil {
						return nil, context.Cause(ctx)
					}
					return f.gate(ctx, q)
				}}
			return s.Run(ctx)
		}
		j := open(dir, o, false)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := search(ctx, j, func() {
			if f.gates == interrupt-1 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || j.Len() != interrupt-1 {
			t.Fatalf("gate %d: %v, %d gates are kept", interrupt, err, j.Len())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		o := o
		o.Judge.FreshPairs = 40
		j = open(dir, o, false)
		r, err := search(t.Context(), j, func() {})
		if err != nil || r.Found == nil || number(*r.Found) != at || r.Gates != 8 || f.gates != 8 {
			t.Errorf("interrupted in gate %d: %+v, %v, %d gates", interrupt, r, err, f.gates)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := search(t.Context(), open(dir, o, false), func() { t.Error("it measures again") })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Found, again.Found); diff != "" || again.Seconds != r.Seconds {
			t.Errorf("%s, %v s and %v s", diff, r.Seconds, again.Seconds)
		}
	}
}

// Only --force may replace the results of another search. Other files must be kept.
func TestJournalRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	h := &measure.History{Commits: history(5)}
	o := measure.Defaults()
	j, err := OpenJournal(dir, h, o, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(dir, h, o, false); err == nil ||
		!strings.Contains(err.Error(), "is being written to by pid ") {
		t.Errorf("two at once: %v", err)
	}
	if err := errors.Join(j.keep(Question{Stage: Ends}, report()), j.Close()); err != nil {
		t.Fatal(err)
	}
	other := o
	other.Bench = "Other"
	for _, c := range []struct {
		h    *measure.History
		o    measure.Options
		want string
	}{
		{h, other, "bench was ., and now is Other"},
		{&measure.History{Commits: history(6)}, o, "BAD was 000000000005, and now is 000000000006"},
		{&measure.History{Commits: history(5)[1:]}, o, "GOOD was 000000000000, and now is"},
		{&measure.History{Commits: history(5), Directory: "sub"}, o, "the directory is a " +
			"different one"},
	} {
		if _, err := OpenJournal(dir, c.h, c.o, false); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q: %v", c.want, err)
		}
	}
	if j, err = OpenJournal(dir, h, other, true); err != nil || j.Len() != 0 {
		t.Fatalf("force: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(foreign, h, o, true); err == nil ||
		!strings.Contains(err.Error(), "contains notes.txt, and no search") {
		t.Errorf("somebody else's directory: %v", err)
	}
}

func TestTimeLeft(t *testing.T) {
	f := newFake(t, 2, from(9, 1.15))
	var lines []string
	s := &Search{Commits: history(64), Judge: judge.Defaults(), Gate: f.gate,
		Say: func(line string) { lines = append(lines, line) }}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 7 || !strings.HasSuffix(lines[0], "; 64 commits left") ||
		!strings.HasSuffix(lines[1], "; 32 commits left, about 6 min 0 s") ||
		!strings.HasSuffix(lines[6], "; 1 commit left, about 1 min 0 s") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
	if took := time.Duration(r.Seconds) * time.Second; took != 8*time.Minute {
		t.Errorf("it took %v", took)
	}
}

package regex

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/poolbench/poolbench/workloads"
)

// Each engine must match the good path and reject the evil input.
func TestEnginesAgree(t *testing.T) {
	for _, engine := range []string{backtrack, linear} {
		w := newMatcher(engine, 8)
		for input, want := range map[string]bool{"/a/b/c": true, "//": true, "": false, "/": false,
			"/a\n": false, "a\n/b": true, w.input: false} {
			if got, err := w.match(input); got != want || err != nil {
				t.Errorf("%s: %q matches: %v, %v; want %v", engine, input, got, err, want)
			}
		}
		if len(w.input) != 9 || strings.Count(w.input, "/") != 8 ||
			w.Do(context.Background(), 1) != nil {
			t.Errorf("%s: input %q, %v", engine, w.input, w.Do(context.Background(), 1))
		}
		w.input = "/a"
		if err := w.Do(context.Background(), 1); !errors.Is(err, errMatch) {
			t.Errorf("%s: a task whose input matches returned %v", engine, err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, engine := range []string{linear, backtrack} {
		b.Run("engine="+engine, func(b *testing.B) {
			w := newMatcher(engine, 18)
			for b.Loop() {
				if err := w.Do(context.Background(), 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestTasks(t *testing.T) {
	for _, w := range []*cpuRegex{newMatcher(backtrack, 6), newMatcher(linear, 100)} {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.Do(ended, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("ended before it began: %v", err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for seq := range uint64(10) {
					if err := w.Do(t.Context(), seq); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Check must not calibrate, because calibration fails under the virtual clock.
func TestParameters(t *testing.T) {
	for in, want := range map[string]string{
		"cpu_regex":                    "cpu_regex",
		"cpu_regex:n=18,engine=linear": "cpu_regex:engine=linear",
		"cpu_regex:n=33":               "n: must be between 1 and 32 with engine=backtrack, got 33",
		"cpu_regex:engine=linear,n=0":  "n: must be between 1 and 1048576 with engine=linear, got 0",
		"cpu_regex:engine=re2":         `engine: want backtrack or linear, got "re2"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			v, err := workloads.Parse(in)
			got := v.String()
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "workload cpu_regex: ")
			}
			if got != want {
				t.Errorf("%s: %s, want %s", in, got, want)
			}
		})
	}
}

func TestMean(t *testing.T) {
	v := workloads.MustParse("cpu_regex:n=4")
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	again, err := v.Spec.Build(2, v.Values)
	if err != nil || again.Mean() != w.Mean() || w.Mean() <= 0 || w.C2() != 0 {
		t.Errorf("mean %v, then %v, C² %v, %v", w.Mean(), again.Mean(), w.C2(), err)
	}
}

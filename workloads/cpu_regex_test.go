package workloads

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Both engines read the pattern in the same way: a path matches, the evil input does not, and the task says so.
func TestEnginesAgree(t *testing.T) {
	for _, engine := range []string{backtrack, linear} {
		w := newMatcher(engine, 8)
		for input, want := range map[string]bool{"/a/b/c": true, "//": true, "": false, "/": false, "/a\n": false, "a\n/b": true, w.input: false} {
			if got, err := w.match(input); got != want || err != nil {
				t.Errorf("%s: %q matches: %v, %v; want %v", engine, input, got, err, want)
			}
		}
		if len(w.input) != 9 || strings.Count(w.input, "/") != 8 || w.Do(context.Background(), 1) != nil {
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

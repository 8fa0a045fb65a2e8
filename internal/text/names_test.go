package text_test

import (
	"regexp"
	"testing"

	"github.com/poolbench/poolbench/internal/text"
)

func FuzzIsLowerSnake(f *testing.F) {
	for _, s := range []string{"", "a", "worker_pool", "a1_b2", "_a", "a_", "a__b", "1a", "a_1", "A",
		"a-b", "ä", "a\n"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`\A[a-z][a-z0-9]*(_[a-z0-9]+)*\z`)
	f.Fuzz(func(t *testing.T, s string) {
		if got := text.IsLowerSnake(s); got != form.MatchString(s) {
			t.Errorf("%q: %v", s, got)
		}
	})
}

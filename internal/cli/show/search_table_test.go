package show

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/capacity"
)

func TestOfTwoEnds(t *testing.T) {
	for name, c := range map[string]struct {
		over        capacity.Axis
		met, missed float64
		want        string
	}{
		"loads":             {capacity.Load, 0.8, 0.81, "the second misses it"},
		"one limit":         {capacity.Limit, 6, 5, ""},
		"one of two limits": {capacity.Limit, 7, 5, ""},
		"several limits":    {capacity.Limit, 9, 5, "one of them or between them"},
	} {
		f := &SearchResult{Search: capacity.Search{Over: c.over},
			Answers: []capacity.Answer{{Met: c.met, Missed: c.missed}}}
		if got := f.ofTwoEnds(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

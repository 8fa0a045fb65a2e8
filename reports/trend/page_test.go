package trend

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestPage(t *testing.T) {
	for name, c := range map[string]struct {
		levels []float64
		want   []string
		drawn  bool
	}{
		"a step": {stepped(9, 8, 1.5), []string{
			`>Since result 10 (r10) the time per operation of a.X&lt;b&gt; is `, " % higher</h1>", "1 worse", "<h3>Since result 10 (r10)</h3>", `<figure id="trend-1"`},
			true},
		"no step": {slices.Repeat([]float64{1}, 17),
			[]string{">No change in 1 varying series over 17 results</h1>"}, true},
		"too few": {stepped(2, 2, 2), []string{">Nothing is tested: 4 results, but a test needs "},
			true},
	} {
		var page strings.Builder
		if err := WritePage(&page, mustTrend(t, history(t, plainHead, "X<b>", "ns/op",
			c.levels...), Options{Margin: 0.02})); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(page.String(), "\u00a0", " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(got, "X<b>") {
			t.Errorf("%s: a name became an element", name)
		}
		if drawn := strings.Contains(got, "<figure"); drawn != c.drawn {
			t.Errorf("%s: a figure is drawn: %v", name, drawn)
		}
	}
}

// Changes within two results form one suspect. The headline names the latest suspect that is worse,
// with its largest regression.
func TestSuspects(t *testing.T) {
	series := func(name string, at int, ratio float64, word string) Series {
		return Series{Benchmark: name, Unit: "ops/s", Changes: []Change{{At: at,
			Ratio: results.Number(ratio), Word: word}}}
	}
	trend := &Trend{Results: strings.Split("abcdefghi", ""), Series: []Series{
		series("w", 2, 0.9, "worse"), series("x", 4, 0.5, "worse"), series("y", 4, 3, "better"),
		series("z", 5, 0.8, "better"), series("v", 8, 1.1, "better")}}
	var got [][2]int
	for _, s := range trend.suspects() {
		got = append(got, [2]int{s.At, s.Last})
	}
	if want := [][2]int{{2, 4}, {5, 5}, {8, 8}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	want := "Since results 3 (c) to 5 (e) the ops/s of x is 50 % lower; 3 series change there"
	if got := trend.headline(trend.suspects()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

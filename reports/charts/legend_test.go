package charts

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestEqualSeriesShareAnEntry(t *testing.T) {
	x := []float64{1, 2}
	at := func(name string, style int, y ...float64) Series {
		return Series{Name: name, Style: style, X: x, Y: y}
	}
	legend, same := entries([]Panel{
		{Series: []Series{at("worker_pool", 2, 1, 2), at("semaphore", 1, 1, 2),
			at("errgroup", 0, 1, 2), {Name: "semaphore", Style: 1, X: x, Y: x, Theory: true}}},
		{Series: []Series{at("worker_pool", 2, 3, 4), at("semaphore", 1, 3, 4),
			at("errgroup", 0, 3, 5)}},
	})
	var names []string
	for _, e := range legend {
		names = append(names, strings.Join(e.names, "="))
	}
	if diff := cmp.Diff([]string{"errgroup", "semaphore=worker_pool", "exact theory"},
		names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"semaphore", "worker_pool"}}, same); diff != "" {
		t.Error(diff)
	}
}

func TestTheoryInLegend(t *testing.T) {
	measured := Series{Name: "a", X: []float64{0.5, 0.9, 0.99}, Y: []float64{1, 2, 3}}
	exact := measured
	exact.Theory = true
	point := Series{Name: "a", Theory: true, X: []float64{1}, Y: []float64{1}}
	line := Series{Name: "a", Theory: true, X: []float64{1, 2}, Y: []float64{1, 2}}
	distribution, err := Distribution("d", []Panel{{Series: []Series{measured, exact}}})
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := entries([]Panel{{Series: []Series{measured, line, point}}})
	points, _ := entries([]Panel{{Series: []Series{measured, point}}})
	for _, c := range []struct {
		name   string
		legend []entry
		dots   bool
	}{{"distribution", distribution.legend, true}, {"lines", lines, false},
		{"points", points, true}} {
		if last := c.legend[len(c.legend)-1]; !last.theory || last.dots != c.dots {
			t.Errorf("%s: theory %t, at points %t", c.name, last.theory, last.dots)
		}
	}
}

func TestBreakNameFits(t *testing.T) {
	style := textStyle(legendSize, xfont.WeightNormal, ink)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(
			rapid.StringMatching(`[a-z_]{1,40}(:[a-z]+=[0-9]+ms(,[a-z]+=[0-9]+)?)?`), 1,
			5).Draw(t, "names")
		lines := breakName(names, widestName, style)
		for _, line := range lines {
			if style.Width(line) > widestName {
				t.Fatalf("%q is %v wide, more than %v", line, style.Width(line), widestName)
			}
		}
		if got, n := strings.Count(strings.Join(lines, " "), "= "), len(names)-1; got < n {
			t.Fatalf("%q names %d, not %d", lines, got+1, n+1)
		}
	})
}

func TestBreakNameBreaksAtParameters(t *testing.T) {
	style := textStyle(legendSize, xfont.WeightNormal, ink)
	got := breakName([]string{"segregated_and_then_some:short=2,long=3"}, widestName, style)
	if diff := cmp.Diff([]string{"segregated_and_then_some:", "short=2,long=3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSpreadNeverOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		want, heights := make([]vg.Length, n), make([]vg.Length, n)
		var sum vg.Length
		for i := range n {
			want[i] = vg.Length(rapid.Float64Range(0, 500).Draw(t, "want"))
			heights[i] = vg.Length(rapid.Float64Range(10, 40).Draw(t, "height"))
			sum += heights[i]
		}
		slices.Sort(want)
		slices.Reverse(want)
		top := sum + vg.Length(rapid.Float64Range(0, 300).Draw(t, "room"))
		at := spread(want, heights, 0, top)
		edge := top
		for i := range at {
			if at[i] > edge+1e-9 {
				t.Fatalf("label %d reaches %v, over the one above it that ends at %v", i, at[i],
					edge)
			}
			edge = at[i] - heights[i]
		}
		if edge < -1e-9 {
			t.Fatalf("the last label ends at %v, below the picture", edge)
		}
	})
}

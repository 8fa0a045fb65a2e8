package charts

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCleanKeepsDrawableValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	in := []Series{
		{Name: "a", X: []float64{3, 1, 2, 4, nan}, Y: []float64{0.3, 0.1, 0, inf, 1},
			Lo: []float64{0.2, 0, 0, 0, 0}, Hi: []float64{0.4, 0.2, 1, 1, 1}},
		{Name: "gone", X: []float64{1}, Y: []float64{-1}},
		{Name: "grows", X: []float64{2, 1}, Y: []float64{9, 1}, Growing: []bool{true, false}},
	}
	got, notes := clean(in, linear, logarithm, "p99")
	want := []Series{
		{Name: "a", X: []float64{1, 3}, Y: []float64{0.1, 0.3}, Lo: []float64{nan, 0.2},
			Hi: []float64{nan, 0.4}},
		{Name: "grows", X: []float64{1, 2}, Y: []float64{1, 9}, Growing: []bool{false, true}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	wantNotes := []string{"p99: 3 points of a omitted (0 or not a number)",
		"p99: 1 point of gone omitted (0 or not a number)"}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
	if in[0].X[0] != 3 {
		t.Error("the caller's series was changed")
	}
}

func TestCleanPanicsOnUnequalSlices(t *testing.T) {
	for name, s := range map[string]Series{
		"Y":       {Name: "s", X: []float64{1, 2}, Y: []float64{1}},
		"Lo":      {Name: "s", X: []float64{1}, Y: []float64{1}, Lo: []float64{1, 2}},
		"Hi":      {Name: "s", X: []float64{1}, Y: []float64{1}, Hi: []float64{}},
		"Growing": {Name: "s", X: []float64{1}, Y: []float64{1}, Growing: []bool{true, true}},
	} {
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, `series "s"`) {
					t.Errorf("%s: panic %q does not name the series", name, msg)
				}
			}()
			clean([]Series{s}, linear, linear, "")
		}()
	}
}

func TestEmptyChartsAreTypedErrors(t *testing.T) {
	panels := []Panel{{Title: "p99",
		Series: []Series{{Name: "a", X: []float64{1}, Y: []float64{math.NaN()}}}}, {Title: "none"}}
	for name, draw := range constructors() {
		for _, in := range [][]Panel{panels, nil} {
			c, err := draw(in)
			var empty *EmptyError
			if c != nil || !errors.As(err, &empty) {
				t.Errorf("%s: %v, %v, want an *EmptyError", name, c, err)
				continue
			}
			if len(in) > 0 && (len(empty.Notes) != 1 ||
				!strings.Contains(err.Error(), "1 point of a omitted")) {
				t.Errorf("%s: the error does not say why: %v", name, err)
			}
		}
	}
}

func constructors() map[string]func([]Panel) (*Chart, error) {
	return map[string]func([]Panel) (*Chart, error){
		"response by load":  func(p []Panel) (*Chart, error) { return Response("t", Load, p) },
		"response by rate":  func(p []Panel) (*Chart, error) { return Response("t", Rate, p) },
		"response by limit": func(p []Panel) (*Chart, error) { return Response("t", Limit, p) },
		"throughput":        func(p []Panel) (*Chart, error) { return Throughput("t", 400, p) },
		"distribution":      func(p []Panel) (*Chart, error) { return Distribution("t", p) },
		"variance":          func(p []Panel) (*Chart, error) { return Variance("t", p) },
		"timeline":          func(p []Panel) (*Chart, error) { return Timeline("t", 4, p) },
	}
}

func TestTimelineKeepsPeaks(t *testing.T) {
	s := Series{Name: "a"}
	for i := range 5000 {
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, 1)
	}
	s.Y[1234], s.Y[4999] = 77, 3
	got := keepPeaks(s, maxPoints)
	if len(got.X) != maxPoints || slices.Max(got.Y) != 77 || got.X[maxPoints-1] != 4999 ||
		got.Y[maxPoints-1] != 3 {
		t.Errorf("%d points, highest %v, last %v at %v", len(got.X), slices.Max(got.Y),
			got.Y[len(got.Y)-1], got.X[len(got.X)-1])
	}
}

func TestTimelineMarks(t *testing.T) {
	panels := []Panel{{Title: "in flight", Series: []Series{{Name: "a", X: []float64{1, 90},
		Y: []float64{1, 2}}}}, {Title: "queued", Series: []Series{{Name: "a", X: []float64{1, 90},
		Y: []float64{0, 9}}}}}
	upright := func(marks ...float64) (n int) {
		c, err := Timeline("x", 0, panels, marks...)
		if err != nil {
			t.Fatal(err)
		}
		_, strokes := record(c, Wide)
		for _, s := range strokes {
			if len(s.path) == 2 && s.path[0].Pos.X == s.path[1].Pos.X && s.width == 0.8 &&
				slices.Equal(s.dash, []vg.Length{3, 3}) {
				n++
			}
		}
		return n
	}
	if without, with := upright(), upright(20, 30, 0, 90, 500); without != 0 || with != 4 {
		t.Errorf("%d lines without marks, %d with two of five within the run, want 0 and 4",
			without, with)
	}
}

package charts

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sampleFound() []CapacityBar {
	none := math.NaN()
	return []CapacityBar{
		{"serial", 3, none, 0.1},
		{"worker_pool", 5, 0.815, 0.925},
		{"unbounded", 4, 1.2, none},
		{"bounded_queue_shed", 0, 0.5, 0.5005},
		{"segregated:short=2,long=3,spill=true", 2, none, 0.32},
		{"errgroup_limit", 1, 0.9, none},
	}
}

func TestCapacityTexts(t *testing.T) {
	c, err := Capacity("Capacity for p99-response<80ms", Load, 0.1, 1.2, sampleFound())
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{Wide, Narrow} {
		texts, _ := record(c, layout)
		for _, want := range []string{"Capacity for p99-response<80ms",
			"offered load (share of capacity)", "serial", "below 0.1", "worker_pool",
			"0.815 to 0.925",
			"at least 1.2", "0.5 to 0.5005", "? to 0.32", "0.9 to ?"} {
			if !slices.Contains(texts, want) {
				t.Errorf("layout %d: %q is not written: %q", layout, want, texts)
			}
		}
	}
	if _, err := Capacity("t", Rate, 20, 400, sampleFound()[:0]); !isEmpty(err) {
		t.Errorf("a chart of nothing: %v", err)
	}
}

func TestCapacityOrder(t *testing.T) {
	c, err := Capacity("t", Load, 0.1, 1.2, sampleFound())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tick := range c.Panels[0].Y.Tick.Marker.Ticks(0, 0) {
		names = append(names, strings.TrimRight(tick.Label, "…"))
	}
	for i, want := range []string{"unbounded", "errgroup_limit", "worker_pool",
		"bounded_queue_shed", "segregated", "serial"} {
		if !strings.HasPrefix(names[i], want) {
			t.Errorf("row %d is %s, want %s", i, names[i], want)
		}
	}
}

func TestCapacityInterval(t *testing.T) {
	c, err := Capacity("t", Load, 0.1, 1.2, sampleFound())
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := c.InlineSVG(&svg, Wide); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"load 0.815\nworker_pool  0.815 to 0.925",
		"load 1.2\nunbounded  at least 1.2", "load 0.1\nserial  below 0.1"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if err := c.PNG(io.Discard); err != nil {
		t.Error(err)
	}
}

func isEmpty(err error) bool {
	_, ok := errors.AsType[*EmptyError](err)
	return ok
}

func TestAnyCapacityDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var found []CapacityBar
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			found = append(found, CapacityBar{
				rapid.String().Draw(t, "name"), rapid.IntRange(0, 50).Draw(t, "style"),
				extremeFloats().Draw(t, "met"), extremeFloats().Draw(t, "missed"),
			})
		}
		from, to := extremeFloats().Draw(t, "from"), extremeFloats().Draw(t, "to")
		across := rapid.SampledFrom([]XAxis{Load, Rate}).Draw(t, "across")
		drawChart(t, "capacity", func() (*Chart, error) {
			return Capacity("t", across, from, to, found)
		})
	})
}

package charts

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/axes.json anew")

// axisVector is a range and its expected ticks. A test of package page applies the same file to the
// JavaScript.
type axisVector struct {
	Lo, Hi                   float64
	Linear, Log              []float64 // values of ticks
	Seconds, Counts, OfMarks []string  // labels of both ends, and of the ticks
}

func TestAxisVectors(t *testing.T) {
	var got []axisVector
	for _, r := range [][2]float64{{1, 10}, {0.0458, 0.097}, {0.001, 1000}, {3e-9, 7e-9},
		{0.04, 0.3}, {12.5, 12.5}, {0.3, 1.1}, {99, 101}, {1e-6, 86400 * 3}, {5, 400},
		{0.999951, 1e5}, {7, 60000}, {2.5e-4, 2.6e-4}, {1, 9.99}, {20, 20.3}, {0.125, 1.125},
		{1e12, 3e14}} {
		v := axisVector{Lo: r[0], Hi: r[1], Linear: linearMarks(r[0], r[1], 5),
			Log:     logMarks(r[0], r[1]),
			Seconds: []string{Seconds(r[0]), Seconds(r[1])},
			Counts:  []string{Count(r[0]), Count(r[1])}}
		for _, m := range append(v.Linear, v.Log...) {
			v.OfMarks = append(v.OfMarks, Count(m))
		}
		got = append(got, v)
	}
	const path = "testdata/axes.json"
	if *update {
		text, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []axisVector
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s does not hold what the axes make of its ranges: -update writes it", path)
	}
}

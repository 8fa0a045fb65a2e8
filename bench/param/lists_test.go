package param_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
)

func TestLists(t *testing.T) {
	if got, err := param.Ints("4,8"); err != nil || !reflect.DeepEqual(got, []int{4, 8}) {
		t.Errorf("Ints: %v, %v", got, err)
	}
	if got, err := param.Floats("0.5,0.8"); err != nil ||
		!reflect.DeepEqual(got, []float64{0.5, 0.8}) {
		t.Errorf("Floats: %v, %v", got, err)
	}
	for in, want := range map[string]string{"": `got ""`, "4,": `got ""`,
		"4,x": `want a whole number such as 4, got "x"`} {
		if got, err := param.Ints(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Ints(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	if _, err := param.Floats("1,NaN"); err == nil {
		t.Error("Floats took NaN")
	}
}

func TestPercent(t *testing.T) {
	for in, want := range map[string]float64{"0": 0, "-0": 0, "0%": 0, "10%": 0.1, "0.1": 0.1,
		"99.9%": 0.999} {
		if got, err := param.Percent(in); err != nil || got != want || math.Signbit(got) {
			t.Errorf("Percent(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "%", "1", "100%", "-1%", "NaN", "10%%", "10 %", "ten"} {
		if got, err := param.Percent(in); err == nil {
			t.Errorf("Percent(%q) = %v, want an error", in, got)
		}
	}
}

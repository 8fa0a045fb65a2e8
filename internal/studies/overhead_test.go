package studies

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies/peers"
)

// sampleOverhead has strategies whose tasks take 400 ns, and the first so many of them as long as it is said.
func sampleOverhead(first int, seconds, waited, shed float64) *measured {
	i := map[string]int{}
	return synthetic(overheadCells(Quick, everyDispatcher()), 3, func(sc bench.Scenario, repetition int) map[string]float64 {
		name := sc.Strategy.String()
		if _, seen := i[name]; !seen {
			i[name] = len(i)
		}
		took := 400e-9
		values := map[string]float64{"allocs/op": 1, "cpu-wait": waited}
		if i[name] < first {
			took = seconds
			values["shed/op"] = shed
		}
		values["ops/s"] = 1 / took / float64(1+repetition)
		return values
	})
}

func TestOverheadVerdicts(t *testing.T) {
	all := len(everyDispatcher())
	took := func(n int) string {
		return fmt.Sprintf("%d of %d strategies take less than a microsecond a task", n, all)
	}
	for _, c := range []struct {
		first                 int
		seconds, waited, shed float64
		want                  Verdict
		says                  string
	}{
		{0, 0, 0, 0, Holds, took(all)},
		{0, 0, 0.9, 0, Holds, took(all)}, // a busy machine only makes it longer
		{2, 3e-6, 0, 0, Depends, "on the strategy: " + took(all-2) + ", harness included, and 2 a microsecond more"},
		{2, 3e-6, 0.9, 0, Undecided, took(all - 2)},
		{2, 1.2e-6, 0, 0, Undecided, "it cannot be told what is theirs"},
		{(all + 1) / 2, 3e-6, 0, 0, DoesNotHold, took(all / 2)},
		{2, 3e-6, 0, 0.1, Undecided, fmt.Sprintf("2 of %d strategies have no run that can be used: adaptive_aimd, adaptive_gradient", all)},
	} {
		m := sampleOverhead(c.first, c.seconds, c.waited, c.shed)
		f := judgeOverhead(m)
		if f.Verdict != c.want || !strings.Contains(f.Because, c.says) {
			t.Errorf("%d of %v s: %v, %q; want %v, %q", c.first, c.seconds, f.Verdict, f.Because, c.want, c.says)
		}
		if text := fmt.Sprint(f); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
			t.Errorf("the finding holds a number that is none: %s", text)
		}
		if figures, err := mustLookup(t, "overhead").Draw(m); err != nil || len(figures) != 1 {
			t.Errorf("%d figures, %v", len(figures), err)
		}
	}
}

// TestOverheadStrategies: all strategies take part but the one that the doc names, and none that limits a rate is left at its default.
func TestOverheadStrategies(t *testing.T) {
	in := map[string]bool{}
	for _, v := range everyDispatcher() {
		in[v.Spec.Name] = true
		for _, k := range v.Spec.Keys {
			if k.Name == "rate" && v.Values.Float("rate") < 1e9 {
				t.Errorf("%s limits the rate", v)
			}
		}
		for size := Quick; size <= Full; size++ {
			if sc := overheadCells(size, everyDispatcher())[0]; sc.Stop.Tasks > sc.Queue {
				t.Errorf("a batch of %d does not fit into %d places", sc.Stop.Tasks, sc.Queue)
			}
		}
	}
	for _, spec := range peers.Known() {
		if in[spec.Name] == (spec.Name == "concurrency_limits") {
			t.Errorf("%s takes part: %v", spec.Name, in[spec.Name])
		}
	}
}

// TestOverheadFurther: a strategy that somebody names is listed with the others.
func TestOverheadFurther(t *testing.T) {
	s := mustLookup(t, "overhead")
	cells, err := s.With(Quick, strategy("partitioned:quantum=2ms")[0])
	if err != nil {
		t.Fatal(err)
	}
	all := append(overheadCells(Quick, everyDispatcher()), cells...)
	m := synthetic(all, 1, func(sc bench.Scenario, _ int) map[string]float64 {
		return map[string]float64{"ops/s": 2e6, "allocs/op": 1}
	})
	if f := s.Judge(m); f.Verdict != Holds || !strings.Contains(f.Because, fmt.Sprintf("%d of %d", len(all), len(all))) {
		t.Errorf("%v, %q", f.Verdict, f.Because)
	}
	if _, err := s.With(Quick, strategy("concurrency_limits")[0]); err == nil {
		t.Error("a strategy that refuses nearly all of a batch takes part")
	}
}

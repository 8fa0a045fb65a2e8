package measure

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func anySchedule(t *rapid.T) schedule {
	names := make([]string, rapid.IntRange(1, 30).Draw(t, "benchmarks"))
	for i := range names {
		names[i] = fmt.Sprint("p.Benchmark", i)
	}
	return schedule{rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 8).Draw(t, "layouts"),
		rapid.IntRange(2, 10).Draw(t, "screened"), names}
}

func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t)
		of := make([]int, len(s.names))
		for i := range of {
			of[i] = i
		}
		headFirst := make([]int, len(of))
		seeds := map[uint64]bool{}
		const rounds = 12
		layouts := map[int]bool{}
		for r := range rounds {
			slots := s.round(r, of)
			var seen []int
			for _, at := range slots {
				seen = append(seen, at.benchmark)
				fresh := r >= s.screened && s.layouts > 1
				if at.pair != r || fresh == (at.layout < s.layouts) || !fresh &&
					at.layout != r%s.layouts || fresh && layouts[at.layout] ||
					at.seed != slots[0].seed || at.seed>>63 != 0 {
					t.Errorf("round %d: %+v", r, at)
				}
				if at.headFirst {
					headFirst[at.benchmark]++
				}
			}
			layouts[slots[0].layout] = true
			seeds[slots[0].seed] = true
			if slices.Sort(seen); !slices.Equal(seen, of) {
				t.Errorf("round %d has the benchmarks %v", r, seen)
			}
			if !reflect.DeepEqual(slots, s.round(r, of)) {
				t.Error("the same round is another the second time")
			}
		}
		for b, n := range headFirst {
			if n != rounds/2 {
				t.Errorf("benchmark %d: the head goes first in %d of %d pairs", b, n, rounds)
			}
		}
		if len(seeds) != rounds {
			t.Errorf("%d seeds in %d rounds", len(seeds), rounds)
		}
	})
}

// The schedule of a benchmark must not depend on the other benchmarks of the round.
func TestScheduleOfSome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t)
		b := rapid.IntRange(0, len(s.names)-1).Draw(t, "benchmark")
		all := make([]int, len(s.names))
		for i := range all {
			all[i] = i
		}
		r := rapid.IntRange(0, 100).Draw(t, "round")
		alone := s.round(r, []int{b})[0]
		if !slices.Contains(s.round(r, all), alone) {
			t.Errorf("%+v is not in the whole round", alone)
		}
	})
}

func TestScheduleVaries(t *testing.T) {
	s := schedule{1, 6, 6, []string{"a", "b", "c", "d", "e"}}
	of := []int{0, 1, 2, 3, 4}
	orders, firsts := map[string]bool{}, map[string]bool{}
	for r := range 20 {
		var order []int
		for _, at := range s.round(r, of) {
			order = append(order, at.benchmark)
		}
		orders[fmt.Sprint(order)] = true
		var first []bool
		for b := range of {
			first = append(first, s.headFirst(b, 2*r))
		}
		firsts[fmt.Sprint(first)] = true
	}
	if len(orders) < 15 || len(firsts) < 10 {
		t.Errorf("%d orders of 5 benchmarks in 20 rounds, %d patterns of who goes first",
			len(orders), len(firsts))
	}
}

func TestLayoutSeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule(t)
		seen := map[int]bool{}
		for layout := range 10 {
			for _, side := range []side{base, head} {
				seed := s.layoutSeed(side, layout)
				if seed <= 0 || int64(seed) >= 1<<31 || seen[seed] {
					t.Errorf("layout %d of %v: seed %d", layout, side, seed)
				}
				seen[seed] = true
			}
		}
	})
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		pattern, function string
		want              bool
	}{
		{".", "BenchmarkA", true},
		{"^BenchmarkA$", "BenchmarkA", true},
		{"^BenchmarkA$", "BenchmarkAB", false},
		{"A/x=1", "BenchmarkA", true},
		{"A/x=1|B/y", "BenchmarkB", true},
		{"A/B", "BenchmarkB", false},
		{"[/]|C", "BenchmarkC", true},
		{"(A|B)/x", "BenchmarkB", true},
		{"A|(X|Y)", "BenchmarkC", false},
	} {
		if got := mayMatch(c.pattern)(c.function); got != c.want {
			t.Errorf("%s and %s: %v", c.pattern, c.function, got)
		}
	}
	if got := exactPattern("BenchmarkA/n=1.5/x"); got != `^BenchmarkA$/^n=1\.5$/^x$` {
		t.Error(got)
	}
}

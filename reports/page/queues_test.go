package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Runs of a strategy without a queue setting join those with an explicit one. Two queues of one
// strategy stay separate.
func TestJoinQueues(t *testing.T) {
	const rest = "workload=w/arrival=poisson/limit=4/load=0.9"
	facts := func(lines ...string) (got [][]string) {
		for _, g := range Groups(readRuns(t, lines...)) {
			got = append(got, append(factsOf(g), strategiesOf(g.Cells)...))
		}
		return got
	}
	for _, c := range []struct{ lines, want [][]string }{
		{[][]string{{"a", rest}, {"b", rest + "/queue=0"}},
			[][]string{{"w", "poisson arrivals", "queue 0 of b", "virtual clock", "a", "b"}}},
		{[][]string{{"b", rest + "/queue=0"}, {"a", rest}},
			[][]string{{"w", "poisson arrivals", "queue 0 of b", "virtual clock", "a", "b"}}},
		{[][]string{{"b", rest}, {"b", rest + "/queue=7"}},
			[][]string{{"w", "poisson arrivals", "virtual clock", "b"},
				{"w", "poisson arrivals", "queue 7", "virtual clock", "b"}}},
		{[][]string{{"a", rest}, {"b", rest + "/queue=1"}, {"b", rest + "/queue=7"}},
			[][]string{{"w", "poisson arrivals", "virtual clock", "a"},
				{"w", "poisson arrivals", "queue 1", "virtual clock", "b"},
				{"w", "poisson arrivals", "queue 7", "virtual clock", "b"}}},
	} {
		var lines []string
		for _, l := range c.lines {
			lines = append(lines, runLine(l[0], l[1], "1 ops/s"))
		}
		if diff := cmp.Diff(c.want, facts(lines...)); diff != "" {
			t.Error(diff)
		}
	}
}

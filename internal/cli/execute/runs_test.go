package execute

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/options"
)

func testPlan(t *testing.T, runs int) (options.Plan, bench.Scenario) {
	t.Helper()
	suite, err := options.Words{"strategy": {{Text: "semaphore"}},
		"duration": {{Text: "1m"}}}.Suite("")
	if err != nil {
		t.Fatal(err)
	}
	suite.Count = runs
	return options.Plan{{Suite: suite}}, suite.Scenarios[0]
}

func TestProgressLines(t *testing.T) {
	for runs, want := range map[int]int{1: 1, 7: 7, 20: 20, 21: 20, 360: 20} {
		var out bytes.Buffer
		p, sc := testPlan(t, runs)
		s := NewRuns(&out, false, p)
		for range runs {
			s.Step(sc)
		}
		s.Close()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != want || lines[len(lines)-1] != strings.Replace("N of N runs", "N",
			strconv.Itoa(runs), 2) {
			t.Errorf("%d runs: %d lines, want %d:\n%s", runs, len(lines), want, out.String())
		}
	}
}

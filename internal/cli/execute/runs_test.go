package execute

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// testPlan has that many runs of a minute each.
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

// TestProgressLines: a line a run while there are few, and never more than twenty; the last one
// says that all is done.
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

// TestTimeLeft: runs that take twice their estimate double what is left.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p, sc := testPlan(t, 4)
		s := NewRuns(&out, false, p)
		if got, want := s.left(), 4*sc.Estimate(); got != want {
			t.Errorf("at first %v left, want %v", got, want)
		}
		time.Sleep(2 * sc.Estimate())
		s.Step(sc)
		if got, want := s.left(), 6*sc.Estimate(); got != want {
			t.Errorf("after one of four %v left, want %v", got, want)
		}
		s.Close()
	})
}

// TestProgressLine: on a terminal there is a line whose clock goes on between the runs; it says
// what the run does, stays within the width, makes room for messages, and nothing of it is left.
func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p, sc := testPlan(t, 4)
		s := NewRuns(&out, true, p)
		s.quiet = false
		s.startClock(&terminal.StatusLine{On: &out})
		time.Sleep(10 * time.Second)
		s.Step(sc)
		synctest.Wait()
		drawn := out.String()
		if !strings.Contains(drawn, "0 of 4 runs") || !strings.Contains(drawn, "1 of 4 runs") {
			t.Errorf("drawn: %q", drawn)
		}
		s.Tell("201 /s, p50 8.00 ms, " + strings.Repeat("p99 37.0 ms, ", 9))
		for _, line := range strings.Split(out.String(), terminal.ClearLine) {
			if n := len([]rune(line)); n >= terminal.FallbackColumns {
				t.Errorf("%d columns in %q", n, line)
			}
		}
		if !strings.Contains(out.String(), " · 201 /s, p50") {
			t.Errorf("drawn: %q", out.String())
		}
		s.Note(func() { out.WriteString("a message\n") })
		if before, _, _ := strings.Cut(out.String(), "a message"); !strings.HasSuffix(before,
			terminal.ClearLine) {
			t.Errorf("a message in the middle of the line: %q", out.String())
		}
		s.Close()
		if drawn = out.String(); !strings.HasSuffix(drawn, terminal.ClearLine) {
			t.Errorf("at the end there is still %q", drawn[max(0, len(drawn)-80):])
		}
	})
}

// TestQuietProgress: nothing.
func TestQuietProgress(t *testing.T) {
	var out bytes.Buffer
	p, sc := testPlan(t, 3)
	s := NewRuns(&out, true, p)
	s.Step(sc)
	s.Say("well")
	s.Close()
	if out.Len() > 0 {
		t.Errorf("said %q", out.String())
	}
}

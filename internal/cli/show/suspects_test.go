package show

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/reports/results"
)

func TestManyDoubts(t *testing.T) {
	var records []execute.Record
	for i := range 20 {
		text := "lag: late"
		if i < 3 {
			text = "too short: few tasks"
		}
		load := strconv.Itoa(i)
		records = append(records, execute.Record{Run: &results.Run{Name: strings.Repeat("x", i+1),
			Keys: []results.Pair{{Key: "strategy", Value: "serial"}, {Key: "load", Value: load},
				{Key: "clock", Value: "virtual"}},
			Values: map[string]float64{"verdict": float64(results.Suspect)},
			Doubts: []results.Doubt{{Text: text}}}})
	}
	want := []string{"18 of 20 scenarios SUSPECT, 2 more unstable, as requested; the report and " +
		"results.txt list them",
		"serial, load 3: lag: late; and 16 more", "serial, load 0: too short: few tasks"}
	if got := Suspects(records); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	calm := records[19]
	calm.Run = &results.Run{Name: "calm"}
	want = []string{"18 of 21 scenarios SUSPECT (lag 17, too short 1), 2 more unstable, as requested; " +
		"the report and results.txt list them"}
	if got := Suspects(append(records, calm)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSuspectsBesideInvalid(t *testing.T) {
	var records []execute.Record
	for name, v := range map[string]results.Verdict{"a": results.Suspect, "b": results.Invalid} {
		records = append(records, execute.Record{Run: &results.Run{Name: name,
			Values: map[string]float64{"verdict": float64(v)},
			Doubts: []results.Doubt{{Text: "lag: late", Invalid: v == results.Invalid}}}})
	}
	want := "1 of 2 scenarios SUSPECT, 1 more INVALID; the report and results.txt list them"
	if got := Suspects(records)[0]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// One INVALID run makes its scenario INVALID, as in the table, although other runs are SUSPECT.
func TestSuspectRunsOfInvalidScenario(t *testing.T) {
	record := func(name string, v results.Verdict) execute.Record {
		return execute.Record{Run: &results.Run{Name: name,
			Values: map[string]float64{"verdict": float64(v)},
			Doubts: []results.Doubt{{Text: "lag: late", Invalid: v == results.Invalid}}}}
	}
	of := func(a, b []results.Verdict) (records []execute.Record) {
		for _, v := range a {
			records = append(records, record("a", v))
		}
		for _, v := range b {
			records = append(records, record("b", v))
		}
		return records
	}
	const suspect, invalid = results.Suspect, results.Invalid
	if got := Suspects(of([]results.Verdict{suspect, invalid, suspect, suspect},
		[]results.Verdict{invalid, invalid, invalid, suspect})); got != nil {
		t.Errorf("both scenarios are INVALID: %q", got)
	}
	got := Suspects(of([]results.Verdict{suspect, suspect}, []results.Verdict{suspect, invalid}))
	want := []string{"1 of 2 scenarios SUSPECT, 1 more INVALID; the report and results.txt list them",
		"a: lag: late"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A strategy that falls behind its rate is overloaded even if no load is given.
func TestOverloadByRate(t *testing.T) {
	var records []execute.Record
	for strategy, done := range map[string]float64{"serial": 60, "pond": 99} {
		records = append(records, execute.Record{Run: &results.Run{Name: strategy,
			Keys: []results.Pair{{Key: "strategy", Value: strategy}, {Key: "rate", Value: "100"}},
			Values: map[string]float64{"verdict": float64(results.Suspect), "ops/s": done,
				"offered-ops/s": 100},
			Doubts: []results.Doubt{{Text: "overload: more is offered than done"}}}})
	}
	if got, want := Suspects(records)[0], "1 of 2 scenarios SUSPECT, 1 more unstable, as requested; "+
		"the report and results.txt list them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDoubtsOfAttack(t *testing.T) {
	got := Suspects([]execute.Record{{Run: &results.Run{Name: "Attack/target=h:80%2Fp/rate=5",
		Keys:   []results.Pair{{Key: "target", Value: "h:80%2Fp"}, {Key: "rate", Value: "5"}},
		Values: map[string]float64{"verdict": float64(results.Suspect)},
		Doubts: []results.Doubt{{Text: "lag: late"}}}}})
	if want := "h:80/p: lag: late"; len(got) != 2 || got[1] != want {
		t.Errorf("%q, want %q", got, want)
	}
}

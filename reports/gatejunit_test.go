package reports

import (
	"bytes"
	"encoding/xml"
	"math"
	"testing"
)

// TestGateJUnit: what a system that shows tests makes of each verdict; nothing but better and no worse passes.
func TestGateJUnit(t *testing.T) {
	row := func(v Verdict, ratio float64) GateRow {
		return GateRow{Benchmark: `A/x="<1>"`, Package: "p", Metric: "sec/op", Better: -1, Verdict: v, Old: 1, New: 2, OldN: 6, NewN: 6, Ratio: ratio, Detectable: math.NaN()}
	}
	r := &GateReport{Old: "main", New: "head", Options: DefaultGateOptions(), Tests: 4,
		Rows:     []GateRow{row(Worse, math.Inf(1)), row(Inconclusive, 1.1), row(Better, 0.5), row(NoWorse, 1)},
		NotGated: []NotGated{{Benchmark: "A", Package: "p", Metric: "x", Reason: "direction not known"}},
		Faults:   []string{"untrusted: \x01 & more"},
	}
	var text bytes.Buffer
	if err := WriteGateJUnit(&text, r); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	s := got.Suites[0]
	if s.Tests != 6 || s.Failures != 1 || s.Errors != 2 || s.Skipped != 1 || len(s.Cases) != 6 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped", s.Tests, s.Failures, s.Errors, s.Skipped)
	}
	passed := 0
	for _, c := range s.Cases {
		if c.Failure == nil && c.Error == nil && c.Skipped == nil {
			passed++
		}
	}
	if passed != 2 {
		t.Errorf("%d cases pass", passed)
	}
	if c := s.Cases[1]; c.Failure == nil || c.Name != `A/x="<1>" sec/op` || c.Class != "p" || c.Failure.Type != "worse" {
		t.Errorf("%+v", c)
	}
}

package gate

import (
	"bytes"
	"encoding/xml"
	"math"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/junit"
)

// Only better and no worse pass.
func TestGateJUnit(t *testing.T) {
	row := func(v verdict.Verdict, ratio verdict.Number) verdict.Row {
		return verdict.Row{
			Benchmark:  `A/x="<1>"`,
			Package:    "p",
			Metric:     "sec/op",
			Better:     -1,
			Verdict:    v,
			Old:        verdict.Side{N: 6, Median: 1},
			New:        verdict.Side{N: 6, Median: 2},
			Ratio:      ratio,
			Detectable: verdict.Number(math.NaN()),
		}
	}
	r := &verdict.Report{
		Old:     "main",
		New:     "head",
		Options: DefaultOptions(),
		Tests:   4,
		Rows: []verdict.Row{
			row(verdict.Worse, verdict.Number(math.Inf(1))),
			row(verdict.Inconclusive, 1.1),
			row(verdict.Better, 0.5),
			row(verdict.NoWorse, 1),
		},
		NotGated: []verdict.NotGated{{Benchmark: "A", Package: "p", Metric: "x",
			Reason: "direction not known"}},
		Faults: []string{"untrusted: \x01 & more"},
	}
	var text bytes.Buffer
	if err := WriteJUnit(&text, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []junit.Suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	s := got.Suites[0]
	if s.Tests != 6 || s.Failures != 1 || s.Errors != 2 || s.Skipped != 1 || len(s.Cases) != 6 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped", s.Tests, s.Failures,
			s.Errors, s.Skipped)
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
	if c := s.Cases[1]; c.Failure == nil || c.Name != `A/x="<1>" sec/op` || c.Class != "p" ||
		c.Failure.Type != "worse" {
		t.Errorf("%+v", c)
	}
}

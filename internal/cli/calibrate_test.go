package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/machine/calibration"
	"github.com/poolbench/poolbench/reports/page"
)

// sampleCalibration returns a calibration with a control and one known answer, which is off by the
// factor.
func sampleCalibration(factor, control float64) *calibrationResults {
	check := calibration.Check{Unit: "mean-wait-sec", Want: 0.010, Tolerance: 0.05}
	c := &calibrationResults{size: 0.1, control: calibration.Verdict{Check: check, Got: control}}
	c.readings = []calibration.Reading{{What: "a sleep ends later than asked by",
		Result: bench.Result{Name: "Calibrate/sleep",
			Metrics: []result.Metric{{Unit: "p99-late-sec", Value: 0.0021}}}}}
	c.cases = []calibration.Case{{Name: "A1", What: "M/M/4",
		Scenario: calibration.Known(0.1)[0].Scenario, Checks: []calibration.Check{check}}}
	c.runs = [][]*bench.Result{
		{{Metrics: []result.Metric{{Unit: "mean-wait-sec", Value: 0.010 * factor}}}}}
	return c
}

func TestCalibrationJudges(t *testing.T) {
	for _, test := range []struct {
		factor, control float64
		wrong           int
		say             []string
	}{
		{1.01, 0.005, 0, []string{"all values agree with theory, and the control fails, as it must",
			"later than asked by: 2.10 ms (p99)", "+1.00 %"}},
		{1.06, 0.005, 1, []string{"1 values are wrong: do not trust this build", "MISSED"}},
		{0.94, 0.010, 2, []string{"2 values are wrong", "PASSES"}},
	} {
		c := sampleCalibration(test.factor, test.control)
		made := c.document("x")
		if got := made.Wrong; got != test.wrong {
			t.Errorf("%+v: %d wrong", test, got)
		}
		var stdout bytes.Buffer
		a := &app{Host: execute.NewHost(terminal.New(&stdout, io.Discard))}
		if err := a.showCalibration(made, "text"); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.say {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%+v: no %q in\n%s", test, want, &stdout)
			}
		}
		if !strings.Contains(stdout.String(), made.Readings[0].Answer) {
			t.Errorf("%+v: no %q in\n%s", test, made.Readings[0].Answer, &stdout)
		}
		stdout.Reset()
		if err := a.showCalibration(made, "json"); err != nil {
			t.Fatal(err)
		}
		var doc page.Calibration
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil || doc.Wrong != test.wrong ||
			len(doc.Known) != 1 || doc.Known[0].Holds() != (test.factor == 1.01) {
			t.Errorf("%+v: %+v, %v", test, doc, err)
		}
	}
}

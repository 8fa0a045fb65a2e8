package cli

import (
	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/calibration"
)

// A calibrationDocument is what `poolbench calibrate --format json` prints. Times are in seconds,
// shares in fractions of 1.
type calibrationDocument struct {
	head
	Dir     string        `json:"dir"`
	Size    float64       `json:"size"` // of the known answers: a share of the full one
	Machine []readingLine `json:"machine"`
	Known   []knownLine   `json:"known"`
	Control knownLine     `json:"control"` // its holds has to be false
	// known answers that are missed, and a control that passes
	Wrong int `json:"wrong"`
}

type readingLine struct {
	Name    string             `json:"name"`
	Metrics map[string]float64 `json:"metrics"`
}

type knownLine struct {
	Name      string  `json:"name"`
	What      string  `json:"what"`
	Strategy  string  `json:"strategy"`
	Unit      string  `json:"unit"`
	Measured  float64 `json:"measured"`
	Known     float64 `json:"known"`
	Simulated bool    `json:"simulated,omitempty"` // not exact
	Tolerance float64 `json:"tolerance"`
	Holds     bool    `json:"holds"`
}

func (c *calibrated) document(path string) calibrationDocument {
	doc := calibrationDocument{head: newHead("calibrate"), Dir: path, Size: c.size,
		Wrong:   c.wrong(),
		Control: lineOf("control", "A1 counted from the submit", "semaphore", c.control)}
	for _, r := range c.readings {
		doc.Machine = append(doc.Machine, readingLine{r.Name, metricMap(r.Metrics)})
	}
	for i, known := range c.cases {
		for _, v := range known.Judge(c.runs[i]...) {
			doc.Known = append(doc.Known,
				lineOf(known.Name, known.What, known.Scenario.Strategy.String(), v))
		}
	}
	return doc
}

func lineOf(name, what, strategy string, v calibration.Verdict) knownLine {
	return knownLine{name, what, strategy, v.Unit, v.Got, v.Want, v.Simulated,
		v.Tolerance, v.Holds()}
}

func metricMap(metrics []bench.Metric) map[string]float64 {
	m := map[string]float64{}
	for _, metric := range metrics {
		m[metric.Unit] = metric.Value
	}
	return m
}

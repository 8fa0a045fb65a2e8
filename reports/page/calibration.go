package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// A Calibration is the result of calibrate. Times are in seconds.
type Calibration struct {
	Format   string       `json:"format"` // poolbench calibrate
	Version  int          `json:"version"`
	Dir      string       `json:"dir"`
	Size     float64      `json:"size"` // of the known answers, relative to the full size
	Readings []Reading    `json:"machine"`
	Known    []KnownValue `json:"known"`
	Control  KnownValue   `json:"control"` // wrong on purpose: it must fail
	// wrong known answers, plus one if the control passes
	Wrong int `json:"wrong"`
}

// A Reading is a measured property of the machine.
type Reading struct {
	Name    string             `json:"name"`
	Metrics map[string]float64 `json:"metrics"`
	What    string             `json:"-"`
	Answer  string             `json:"-"`
}

// KnownValue is a measurement with a known value, in the unit of its metric. The tolerance is
// relative.
type KnownValue struct {
	Name      string  `json:"name"`
	What      string  `json:"what"`
	Strategy  string  `json:"strategy"`
	Unit      string  `json:"unit"`
	Want      float64 `json:"known"`
	Tolerance float64 `json:"tolerance"`
	Simulated bool    `json:"simulated,omitempty"` // the known value comes from another simulation
	Got       float64 `json:"measured"`
}

// Holds reports whether the value lies within the tolerance.
func (k KnownValue) Holds() bool { return math.Abs(k.Got/k.Want-1) <= k.Tolerance }

// MarshalJSON adds the result of Holds.
func (k KnownValue) MarshalJSON() ([]byte, error) {
	type known KnownValue
	return json.Marshal(struct {
		known
		Holds bool `json:"holds"`
	}{known(k), k.Holds()})
}

// Case returns the name of the experiment.
func (k KnownValue) Case() string { return k.Name + ": " + k.What }

func (k KnownValue) errorInTolerances() float64 {
	if off := (k.Got/k.Want - 1) / k.Tolerance; !math.IsNaN(off) {
		return off
	}
	return math.Inf(1)
}

func (k KnownValue) name() string {
	return k.Case() + ", " + k.Strategy + ": " + shell.Metric(k.Unit)
}

func (c *Calibration) missed() []KnownValue {
	return slices.DeleteFunc(slices.Clone(c.Known), KnownValue.Holds)
}

func (c *Calibration) farthest() []KnownValue {
	all := slices.Clone(c.Known)
	slices.SortStableFunc(all, func(a, b KnownValue) int {
		return cmp.Compare(math.Abs(b.errorInTolerances()), math.Abs(a.errorInTolerances()))
	})
	return all
}

func (c *Calibration) answer() (a shell.Answer) {
	missed := c.missed()
	far := c.farthest()
	switch {
	case len(c.Known) == 0:
		a.Headline = "There are no exact values"
		return a
	case len(missed) > 0:
		a.Headline = fmt.Sprintf("%d of %s missed: this build is not reliable on this machine",
			len(missed), text.Count(len(c.Known), "known answer"))
	case c.Control.Holds():
		a.Headline = "The control passes, although it measures wrongly on purpose: this build is " +
			"not reliable on this machine"
	default:
		a.Headline = fmt.Sprintf("%d of %s agree, with errors of at most %s of the tolerance; "+
			"the control fails, as it must", len(c.Known), text.Count(len(c.Known), "known answer"),
			text.WholeShare(math.Abs(far[0].errorInTolerances())))
	}
	if len(missed) > 0 {
		a.Facts = append(a.Facts, shell.Fact{Title: "Missed",
			Text: text.List(text.Truncate(text.Texts(missed, KnownValue.name), 3)) + "."})
	} else {
		a.Facts = append(a.Facts, shell.Fact{Title: "Largest error", Text: far[0].name() + ": " +
			far[0].valuesText() + "."})
	}
	a.Facts = append(a.Facts, shell.Fact{Title: "The control",
		Text: c.Control.name() + ": " + c.Control.valuesText() + "."})
	if n := len(c.Readings); n > 0 {
		last := c.Readings[n-1]
		a.Facts = append(a.Facts, shell.Fact{Title: "This machine",
			Text: last.What + ": " + last.Answer + "."})
	}
	a.Next = "poolbench run"
	if len(missed) > 0 || c.Size < 1 {
		a.Next = "poolbench calibrate --full"
	}
	return a
}

func (k KnownValue) valuesText() string {
	return fmt.Sprintf("%s, known %s (±%.1f %%)", text.Metric(k.Unit, k.Got),
		text.Metric(k.Unit, k.Want), 100*k.Tolerance)
}

// Cells returns a table row, with the given words for pass and fail.
func (k KnownValue) Cells(holds, misses string) []string {
	source, verdict := "exact", misses
	if k.Simulated {
		source = "simulated"
	}
	if k.Holds() {
		verdict = holds
	}
	return []string{k.Case(), k.Strategy, k.Unit, text.Metric(k.Unit, k.Got),
		text.Metric(k.Unit, k.Want) + " (" + source + ")",
		fmt.Sprintf("%+.2f %%", 100*(k.Got/k.Want-1)), fmt.Sprintf("±%.1f %%", 100*k.Tolerance),
		verdict}
}

const maxDrawn = 16

func (c *Calibration) figure() (*shell.Figure, error) {
	var all []shell.Row
	for _, k := range c.farthest()[:min(maxDrawn, len(c.Known))] {
		r := shell.Row{Value: k.errorInTolerances(), Name: text.Together(
			k.Name + " " + k.Strategy + ": " + shell.Metric(k.Unit))}
		if !k.Holds() {
			r.Kind = 1
		}
		if math.IsInf(r.Value, 0) {
			r.Value = math.NaN()
		}
		all = append(all, r)
	}
	caption := "0 is the exact value, and ±1 is the tolerance of four standard deviations."
	if more := len(c.Known) - len(all); more > 0 {
		caption += fmt.Sprintf(" %s nearer to 0 are only in the table.",
			text.Count(more, "answer"))
	}
	return shell.Rows("known-figure", "Errors in tolerances", caption,
		[]string{"holds", "missed"}, all,
		charts.Axis{Label: "(measured − known) ÷ tolerance", Reach: []float64{-1, 1}},
		[]charts.Level{{Name: "tolerance", Y: -1}, {Name: "tolerance", Y: 1}})
}

// WriteCalibration writes a self-contained HTML page with every answer and reading.
func WriteCalibration(w io.Writer, c *Calibration) error {
	p := shell.Page{Title: "calibrate", Subtitle: "known answers at " + text.Share(c.Size) +
		" of their full size · " + c.Dir, Answer: c.answer(),
		Basis: "A correct build misses a given value with a probability of 1 in 16,000."}
	missed := len(c.missed())
	if missed > 0 {
		p.Trust = append(p.Trust, shell.Badge{Kind: "bad", Text: fmt.Sprint(missed, " missed")})
	}
	p.Trust = append(p.Trust, shell.Badge{Kind: "ok",
		Text: fmt.Sprintf("%d of %d hold", len(c.Known)-missed, len(c.Known))})
	if c.Control.Holds() {
		p.Trust = append(p.Trust, shell.Badge{Kind: "bad", Text: "the control passes"})
	} else {
		p.Trust = append(p.Trust, shell.Badge{Kind: "ok", Text: "the control misses"})
	}
	var err error
	if p.Figure, err = c.figure(); err != nil {
		return err
	}
	known := factTable{ID: "known", Title: "Known answers",
		Text: "Under the virtual clock, against queueing theory. The control is last.",
		Heads: []string{"case", "strategy", "metric", "measured", "known", "off by", "tolerance",
			"verdict"}}
	for _, k := range append(slices.Clone(c.Known), c.Control) {
		known.Rows = append(known.Rows, k.Cells("holds", "missed"))
	}
	machine := factTable{ID: "machine", Title: "This machine", Text: "Under the real clock.",
		Heads: []string{"question", "answer"}}
	for _, r := range c.Readings {
		machine.Rows = append(machine.Rows, []string{r.What, r.Answer})
	}
	known.add(&p)
	machine.add(&p)
	return p.Write(w)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/execution"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/outcome"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/machine/calibration"
	"github.com/poolbench/poolbench/internal/text/jsondoc"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/proof"
)

// quickSize is the share of the full experiments that is run without --full.
const quickSize = 0.1

func (a *app) calibrateCommand() *cobra.Command {
	var o question.RunOptions
	var full bool
	var html flags.Output
	cmd := &cobra.Command{
		Use:   "calibrate [flags]",
		Short: "what this machine can measure, and the known answers",
		Args:  flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := o.Mode(); err != nil {
				return err
			}
			size := quickSize
			if full {
				size = 1
			}
			return a.calibrate(cmd.Context(), size, o, html)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "the known answers at their full size: 33 million "+
		"tasks in place of a tenth, half a minute or more")
	o.AddOutputTo(cmd)
	html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	return cmd
}

// A calibrated is what came out.
type calibrated struct {
	size     float64
	readings []calibration.Reading
	cases    []calibration.Case
	runs     [][]*bench.Result // of each case
	control  calibration.Verdict
}

func (a *app) calibrate(
	ctx context.Context, size float64, o question.RunOptions, html flags.Output,
) error {
	c := &calibrated{size: size, cases: calibration.Known(size)}
	p := c.plan()
	if o.DryRun {
		return outcome.ShowPlan(a.Printer, p, o.Format)
	}
	e, err := execution.Begin(a.Host, o, "calibrate")
	if err != nil {
		return err
	}
	defer e.Close()
	p.GoOn(e.Dir)
	e.Follow(p, o.Quiet)
	ctx, done := exit.Interruptible(ctx, e.Show.Say)
	defer done()
	stopped := c.askMachine(ctx, e)
	if stopped == nil {
		stopped = c.askTheory(ctx, e)
	}
	e.Show.Close()
	err = e.Dir.End(p.Runs()+len(c.readings), stopped)
	switch {
	case ctx.Err() != nil:
		return exit.Interrupted
	case stopped != nil || err != nil:
		return errors.Join(stopped, err)
	}
	doc := c.document(e.Dir.Path())
	if err := html.Write(func(w io.Writer) error {
		return proof.WriteCalibration(w, c.page(e.Dir.Path()))
	}); err != nil {
		return err
	}
	if err := a.showCalibration(doc, c.readings, o.Format); err != nil {
		return err
	}
	if doc.Wrong > 0 {
		return exit.Unusable
	}
	return nil
}

// plan has a section for each case.
func (c *calibrated) plan() (p question.Plan) {
	for _, known := range c.cases {
		p = append(p, question.Section{Title: known.Name + ": " + known.What,
			Suite: bench.Suite{Scenarios: []bench.Scenario{known.Scenario}, Count: known.Count}})
	}
	return p
}

func (c *calibrated) askMachine(ctx context.Context, e *execution.Execution) (err error) {
	e.Show.Say("asking the machine, for about ten seconds")
	if c.readings, err = calibration.Machine(ctx); err != nil {
		return err
	}
	for _, r := range c.readings {
		if err := e.Dir.Write(&r.Result); err != nil {
			return err
		}
	}
	return nil
}

// askTheory runs the cases, as many at once as there are processors, and the control.
func (c *calibrated) askTheory(ctx context.Context, e *execution.Execution) error {
	c.runs = make([][]*bench.Result, len(c.cases))
	all := bench.Suite{}
	var of []int // the case of each scenario
	for i, s := range e.Plan {
		for n := range s.Suite.Runs() {
			sc := s.Suite.Scenarios[0]
			sc.Seed += uint64(n)
			all.Scenarios, of = append(all.Scenarios, sc), append(of, i)
		}
	}
	done := 0
	if err := all.Do(ctx, e.Runner.Run, func(sc bench.Scenario, r *bench.Result, err error) error {
		defer e.Show.Step(sc)
		if err != nil {
			return err
		}
		if len(r.Broken) > 0 {
			return fmt.Errorf("%s is INVALID: %s", r.Name, r.Broken[0])
		}
		if err := e.Write(r); err != nil {
			return err
		}
		c.runs[of[done]] = append(c.runs[of[done]], r)
		done++
		return nil
	}); err != nil {
		return err
	}
	var err error
	c.control, err = calibration.Control(ctx, min(c.size, quickSize))
	return err
}

// A calibrationDocument is what `poolbench calibrate --format json` prints. Times are in seconds,
// shares in fractions of 1.
type calibrationDocument struct {
	jsondoc.Head
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
	Name     string `json:"name"`
	What     string `json:"what"`
	Strategy string `json:"strategy"`
	calibration.Verdict
	Holds bool `json:"holds"`
}

func (c *calibrated) document(path string) calibrationDocument {
	doc := calibrationDocument{Head: jsondoc.NewHead("calibrate"), Dir: path, Size: c.size,
		Control: knownLine{"control", "A1 counted from the submit", "semaphore", c.control,
			c.control.Holds()}}
	for _, r := range c.readings {
		doc.Machine = append(doc.Machine, readingLine{r.Name, outcome.Metrics(r.Metrics)})
	}
	for i, known := range c.cases {
		for _, v := range known.Judge(c.runs[i]...) {
			doc.Known = append(doc.Known, knownLine{known.Name, known.What,
				known.Scenario.Strategy.String(), v, v.Holds()})
			if !v.Holds() {
				doc.Wrong++
			}
		}
	}
	if c.control.Holds() {
		doc.Wrong++
	}
	return doc
}

// page is what the page shows.
func (c *calibrated) page(path string) *proof.Calibration {
	doc := c.document(path)
	known := func(l knownLine) proof.Known {
		return proof.Known{Case: l.Name + ": " + l.What, Strategy: l.Strategy, Unit: l.Unit,
			Got: l.Got, Want: l.Want, Tolerance: l.Tolerance, Simulated: l.Simulated}
	}
	out := &proof.Calibration{Dir: path, Size: c.size, Control: known(doc.Control)}
	for _, r := range c.readings {
		out.Readings = append(out.Readings, proof.Reading{What: r.What, Answer: answered(r)})
	}
	for _, l := range doc.Known {
		out.Known = append(out.Known, known(l))
	}
	return out
}

// answered is what the machine said, in words.
func answered(r calibration.Reading) string {
	var words []string
	for _, m := range r.Metrics {
		words = append(words, strings.TrimSpace(quantity.Metric(m.Unit, m.Value)+" "+
			readingNames[m.Unit]))
	}
	return strings.Join(words, ", ")
}

// showCalibration prints both parts, and says last what is wrong.
func (a *app) showCalibration(
	doc calibrationDocument, readings []calibration.Reading, format string,
) error {
	if format == "json" {
		return a.JSON(doc)
	}
	fmt.Fprintf(a.Stdout, "This machine, under the real clock\n")
	for _, r := range readings {
		fmt.Fprintf(a.Stdout, "  %s: %s\n", r.What, answered(r))
	}
	fmt.Fprintf(a.Stdout,
		"\nThe tool, under the virtual clock: known answers, at %s of their full size\n",
		quantity.Share(doc.Size))
	rows := [][]string{{"case", "strategy", "metric", "measured", "known", "off by", "tolerance",
		""}}
	before := ""
	for _, line := range doc.Known {
		name := line.Name + ": " + line.What
		if name == before {
			name = ""
		} else {
			before = name
		}
		rows = append(rows, line.cells(name, "ok", "MISSED"))
	}
	rows = append(rows, doc.Control.cells(doc.Control.Name+": "+doc.Control.What, "PASSES",
		"misses, as it must"))
	if err := a.List(rows); err != nil {
		return err
	}
	said := "all known answers hold, and the control fails, as it must"
	if doc.Wrong > 0 {
		said = fmt.Sprintf("%d of these are wrong: this build is not to be trusted on this machine",
			doc.Wrong)
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s. Written to %s\n", said, doc.Dir)
	return err
}

func (l knownLine) cells(name, holds, misses string) []string {
	source := "exact"
	if l.Simulated {
		source = "simulated"
	}
	verdict := misses
	if l.Holds {
		verdict = holds
	}
	return []string{name, l.Strategy, l.Unit, quantity.Metric(l.Unit, l.Got),
		fmt.Sprintf("%s (%s)", quantity.Metric(l.Unit, l.Want), source),
		fmt.Sprintf("%+.2f %%", 100*(l.Got/l.Want-1)), fmt.Sprintf("±%.1f %%", 100*l.Tolerance),
		verdict}
}

// readingNames are the words behind the numbers of the machine's part.
var readingNames = map[string]string{
	"p50-late-sec": "(median)", "p99-late-sec": "(p99)", "max-late-sec": "(worst)",
	"p99-lag-sec": "(p99)", "offered-ops/s": "were sent",
	"cpu-sec/op": "of CPU each", "ns/op": "", "allocs/op": "allocations", "relative-deviation": "",
	"largest/smallest":  "(ratio)",
	"smallest-wait-sec": "for waits", "smallest-computation-sec": "for computations",
}

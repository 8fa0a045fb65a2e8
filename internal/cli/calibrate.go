package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/machine/calibration"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page"
)

// quickSize is the share of the experiments that runs without --full.
const quickSize = 0.1

func (a *app) calibrateCommand() *cobra.Command {
	var o options.RunOptions
	var full bool
	var html flags.Output
	cmd := &cobra.Command{
		Use:   "calibrate [flags]",
		Short: "measure this machine's precision, and test against theory",
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
	cmd.Flags().BoolVar(&full, "full", false, "run the tests against theory with 33 million "+
		"tasks instead of a tenth: half a minute or more")
	o.AddOutputTo(cmd)
	html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	return cmd
}

type calibrationResults struct {
	size     float64
	readings []calibration.Reading
	cases    []calibration.Case
	runs     [][]*bench.Result // runs of each case
	control  calibration.Verdict
}

func (a *app) calibrate(
	ctx context.Context, size float64, o options.RunOptions, html flags.Output,
) error {
	c := &calibrationResults{size: size, cases: calibration.Known(size)}
	p := c.plan()
	if o.DryRun {
		return show.ShowPlan(a.Printer, p, o.Format)
	}
	e, err := execute.Begin(a.Host, o, "calibrate")
	if err != nil {
		return err
	}
	defer e.Close()
	p.Continue(e.Dir)
	e.Follow(p, o.Quiet)
	ctx, done := terminal.Interruptible(ctx, e.Show.Println)
	defer done()
	stopped := c.runMachine(ctx, e)
	if stopped == nil {
		stopped = c.runTheory(ctx, e)
	}
	e.Show.Close()
	err = e.Dir.End(p.Runs()+len(c.readings), stopped)
	switch {
	case ctx.Err() != nil:
		return terminal.Interrupted
	case stopped != nil || err != nil:
		return errors.Join(stopped, err)
	}
	doc := c.document(e.Dir.Path())
	if err := html.Write(func(w io.Writer) error {
		return page.WriteCalibration(w, doc)
	}); err != nil {
		return err
	}
	if err := a.showCalibration(doc, o.Format); err != nil {
		return err
	}
	if doc.Wrong > 0 {
		return terminal.Unusable
	}
	return nil
}

func (c *calibrationResults) plan() (p options.Plan) {
	for _, known := range c.cases {
		p = append(p, options.Section{Title: known.Name + ": " + known.What,
			Suite: bench.Suite{Scenarios: []bench.Scenario{known.Scenario}, Count: known.Count}})
	}
	return p
}

func (c *calibrationResults) runMachine(ctx context.Context, e *execute.Execution) (err error) {
	e.Show.Println("measuring the machine, for about ten seconds")
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

// runTheory runs the cases, one per processor at a time, and the control.
func (c *calibrationResults) runTheory(ctx context.Context, e *execute.Execution) error {
	c.runs = make([][]*bench.Result, len(c.cases))
	all := bench.Suite{}
	var of []int // index of the case of each scenario
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

func (c *calibrationResults) document(path string) *page.Calibration {
	known := func(name, what, strategy string, v calibration.Verdict) page.KnownValue {
		return page.KnownValue{Name: name, What: what, Strategy: strategy, Unit: v.Unit, Want: v.Want,
			Tolerance: v.Tolerance, Simulated: v.Simulated, Got: v.Got}
	}
	doc := &page.Calibration{Format: "poolbench calibrate", Version: 1, Dir: path, Size: c.size,
		Control: known("control", "A1 measured from the call of Submit", "semaphore", c.control)}
	for _, r := range c.readings {
		doc.Readings = append(doc.Readings, page.Reading{Name: r.Name,
			Metrics: execute.Values(r.Metrics), What: r.What, Answer: formatReading(r)})
	}
	for i, of := range c.cases {
		for _, v := range of.Judge(c.runs[i]...) {
			doc.Known = append(doc.Known,
				known(of.Name, of.What, of.Scenario.Strategy.String(), v))
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

func formatReading(r calibration.Reading) string {
	return strings.Join(text.Texts(r.Metrics, func(m result.Metric) string {
		return strings.TrimSpace(text.Metric(m.Unit, m.Value) + " " + readingNames[m.Unit])
	}), ", ")
}

func (a *app) showCalibration(doc *page.Calibration, format string) error {
	if format == "json" {
		return a.JSON(doc)
	}
	fmt.Fprintf(a.Stdout, "This machine, under the real clock\n")
	for _, r := range doc.Readings {
		fmt.Fprintf(a.Stdout, "  %s: %s\n", r.What, r.Answer)
	}
	fmt.Fprintf(a.Stdout,
		"\npoolbench, under the virtual clock: measured and exact values, at %s of the full size\n",
		text.Share(doc.Size))
	rows := [][]string{{"case", "strategy", "metric", "measured", "known", "off by", "tolerance",
		""}}
	before := ""
	for _, k := range doc.Known {
		row := k.Cells("ok", "MISSED")
		if row[0] == before {
			row[0] = ""
		} else {
			before = row[0]
		}
		rows = append(rows, row)
	}
	rows = append(rows, doc.Control.Cells("PASSES", "fails, as it must"))
	if err := a.List(rows); err != nil {
		return err
	}
	said := "all values agree with theory, and the control fails, as it must"
	if doc.Wrong > 0 {
		said = fmt.Sprintf("%d values are wrong: do not trust this build on this machine",
			doc.Wrong)
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s. Written to %s\n", said, doc.Dir)
	return err
}

var readingNames = map[string]string{
	metric.P50Late: "(median)", metric.P99Late: "(p99)", metric.MaxLate: "(worst)",
	metric.P99Lag: "(p99)", metric.Offered: "were sent",
	metric.CPUPerOp: "of CPU each", metric.NsPerOp: "", metric.AllocsPerOp: "allocations", metric.RelativeDeviation: "",
	metric.LargestOverSmallest: "(ratio)",
	metric.SmallestWait:        "for waits", metric.SmallestComputation: "for computations",
}

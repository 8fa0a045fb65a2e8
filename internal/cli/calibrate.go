package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/calibration"
)

// quickSize is the share of the full experiments that is run without --full.
const quickSize = 0.1

func (a *app) calibrateCommand() *cobra.Command {
	var o runOptions
	var full bool
	cmd := &cobra.Command{
		Use:                   "calibrate [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "what this machine can measure, and the known answers",
		Args:                  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := o.mode(); err != nil {
				return err
			}
			size := quickSize
			if full {
				size = 1
			}
			return a.calibrate(cmd.Context(), size, o)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "the known answers at their full size: 33 million "+
		"tasks in place of a tenth, half a minute or more")
	o.addOutputTo(cmd)
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

// wrong counts the known answers that were missed, and a control that passes.
func (c *calibrated) wrong() (n int) {
	for i, known := range c.cases {
		for _, v := range known.Judge(c.runs[i]...) {
			if !v.Holds() {
				n++
			}
		}
	}
	if c.control.Holds() {
		n++
	}
	return n
}

func (a *app) calibrate(ctx context.Context, size float64, o runOptions) error {
	c := &calibrated{size: size, cases: calibration.Known(size)}
	p := c.plan()
	if o.dryRun {
		return a.showPlan(p, o.format)
	}
	dir, err := a.openDir(o)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	p.goOn(dir)
	show := newProgress(a.stderr, o.quiet, p)
	ctx, done := interruptible(ctx, show.say)
	defer done()
	stopped := a.askMachine(ctx, c, dir, show)
	if stopped == nil {
		stopped = a.askTheory(ctx, c, p, dir, o, show)
	}
	show.close()
	err = dir.End(p.runs()+len(c.readings), stopped)
	switch {
	case ctx.Err() != nil:
		return exitCode(interrupted)
	case stopped != nil || err != nil:
		return errors.Join(stopped, err)
	}
	if err := a.showCalibration(c, dir.Path(), o.format); err != nil {
		return err
	}
	if c.wrong() > 0 {
		return exitCode(unusable)
	}
	return nil
}

// plan has a section for each case.
func (c *calibrated) plan() (p plan) {
	for _, known := range c.cases {
		p = append(p, section{title: known.Name + ": " + known.What,
			suite: bench.Suite{Scenarios: []bench.Scenario{known.Scenario}, Count: known.Count}})
	}
	return p
}

func (a *app) askMachine(
	ctx context.Context, c *calibrated, dir *bench.Dir, show *progress,
) (err error) {
	show.say("asking the machine, for about ten seconds")
	if c.readings, err = calibration.Machine(ctx); err != nil {
		return err
	}
	for _, r := range c.readings {
		if err := dir.Write(&bench.Result{Name: r.Name, Tasks: 1, Metrics: r.Metrics}); err != nil {
			return err
		}
	}
	return nil
}

// askTheory runs the cases, as many at once as there are processors, and the control.
func (a *app) askTheory(
	ctx context.Context, c *calibrated, p plan, dir *bench.Dir, o runOptions, show *progress,
) error {
	c.runs = make([][]*bench.Result, len(c.cases))
	all := bench.Suite{}
	var of []int // the case of each scenario
	for i, s := range p {
		for n := range s.suite.Runs() {
			sc := s.suite.Scenarios[0]
			sc.Seed += uint64(n)
			all.Scenarios, of = append(all.Scenarios, sc), append(of, i)
		}
	}
	done := 0
	runner := a.runner(o.limit)
	defer runner.close()
	if err := all.Do(ctx, runner.run, func(sc bench.Scenario, r *bench.Result, err error) error {
		defer show.step(sc)
		if err != nil {
			return err
		}
		if len(r.Broken) > 0 {
			return fmt.Errorf("%s is not to be believed: %s", r.Name, r.Broken[0])
		}
		if err := dir.Write(r); err != nil {
			return err
		}
		r.Readings, r.Timeline = nil, nil
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

// showCalibration prints both parts, and says last what is wrong.
func (a *app) showCalibration(c *calibrated, path, format string) error {
	if format == "json" {
		return a.json(c.document(path))
	}
	fmt.Fprintf(a.stdout, "This machine, under the real clock\n")
	for _, r := range c.readings {
		fmt.Fprintf(a.stdout, "  %s", r.What)
		for i, m := range r.Metrics {
			separator := ": "
			if i > 0 {
				separator = ", "
			}
			fmt.Fprintf(a.stdout, "%s%s %s", separator, inUnit(m), readingNames[m.Unit])
		}
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout,
		"\nThe tool, under the virtual clock: known answers, at %s of their full size\n",
		share(c.size))
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  case\tstrategy\tmetric\tmeasured\tknown\toff by\ttolerance\t\n")
	before := ""
	for i, known := range c.cases {
		name := known.Name + ": " + known.What
		for _, v := range known.Judge(c.runs[i]...) {
			if name == before {
				name = ""
			} else if name != "" {
				before = name
			}
			verdictLine(w, name, known.Scenario.Strategy.String(), v, "ok", "MISSED")
			name = before
		}
	}
	verdictLine(w, "control: A1 counted from the submit", "semaphore", c.control, "PASSES",
		"misses, as it has to")
	if err := w.Flush(); err != nil {
		return err
	}
	said := "all known answers hold, and the control fails as it has to"
	if n := c.wrong(); n > 0 {
		said = fmt.Sprintf("%d of these are wrong: do not believe this build on this machine", n)
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s. Written to %s\n", said, path)
	return err
}

func verdictLine(w io.Writer, name, strategy string, v calibration.Verdict, holds, misses string) {
	source := "exact"
	if v.Simulated {
		source = "simulated"
	}
	verdict := misses
	if v.Holds() {
		verdict = holds
	}
	fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s (%s)\t%+.2f %%\t±%.1f %%\t%s\n", name, strategy, v.Unit,
		inUnit(bench.Metric{Unit: v.Unit, Value: v.Got}),
		inUnit(bench.Metric{Unit: v.Unit, Value: v.Want}), source, 100*(v.Got/v.Want-1),
		100*v.Tolerance, verdict)
}

// readingNames are the words behind the numbers of the machine's part.
var readingNames = map[string]string{
	"p50-late-sec": "(median)", "p99-late-sec": "(p99)", "max-late-sec": "(worst)",
	"p99-lag-sec": "(p99)", "offered-ops/s": "were sent",
	"cpu-sec/op": "of CPU each", "ns/op": "", "allocs/op": "allocations", "relative-deviation": "",
	"largest/smallest":  "(ratio)",
	"smallest-wait-sec": "for waits", "smallest-computation-sec": "for computations",
}

// inUnit spells a metric in the unit that its name ends with.
func inUnit(m bench.Metric) string {
	switch {
	case m.Unit == "ns/op":
		return seconds(m.Value / 1e9)
	case m.Unit == "relative-deviation":
		return share(m.Value)
	case strings.HasSuffix(m.Unit, "ops/s"):
		return rate(m.Value)
	case strings.HasSuffix(m.Unit, "-sec"), m.Unit == "cpu-sec/op":
		return seconds(m.Value)
	case m.Unit == "allocs/op", m.Unit == "largest/smallest":
		return digits(m.Value)
	case strings.HasSuffix(m.Unit, "/op"):
		return share(m.Value)
	}
	return digits(m.Value)
}

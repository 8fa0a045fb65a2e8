package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/traffic"
	"github.com/poolbench/poolbench/internal/traffic/recorded"
	"github.com/poolbench/poolbench/internal/traffic/traces"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/workloads"
)

// traceOptions contains the flags of trace, which are named like the parameters of arrival trace.
type traceOptions struct {
	column, duration, layout, unit, class, at, from, to, format string
}

func (a *app) traceCommand() *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace FILE [flags]",
		Short: "describe recorded traffic, and show how to replay it",
		Args:  flags.Operands("FILE"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.describeTrace(args[0], o) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.column, "column", "1", "`COLUMN` of the times: a number, a name in the first "+
		"line, or a key of JSON lines")
	fs.StringVar(&o.duration, "duration", traces.NoColumn, "`COLUMN` of the durations")
	fs.StringVar(&o.layout, "layout", "", "`FORMAT` of the lines of a log, as in nginx's "+
		"log_format or Apache's LogFormat; ~ is a blank (default: by the content)")
	flags.Choice(cmd, &o.unit, "unit",
		"unit of durations that are plain numbers; auto: seconds, or "+
			"the unit of Apache's variable", traces.UnitNames...)
	fs.StringVar(&o.class, "class", traces.NoColumn, "`COLUMN` of the classes")
	flags.Choice(cmd, &o.at, "at",
		"time that the time column records: the begin of a task or, as in nginx's log, its end",
		"begin", "end")
	fs.StringVar(&o.from, "from", "", "`BEGIN` of the part to describe: 09:00 on the first day, "+
		"or 10m after the first record")
	fs.StringVar(&o.to, "to", "", "`END` of this part, in the same format")
	flags.Choice(cmd, &o.format, "format", "output format", "text", "json")
	return cmd
}

func (a *app) describeTrace(file string, o traceOptions) error {
	d, err := o.describe(file)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return text.WriteJSON(a.Stdout, d)
	}
	fmt.Fprintf(a.Stdout, "%s\n%s.\n\n", d.Summary(), d.Headline())
	if err := a.List(d.Rows()); err != nil {
		return err
	}
	for _, note := range d.Notes {
		a.Paragraph("", "odd: "+note, terminal.FallbackColumns)
	}
	if replay := d.Replay(shell.Quote); replay != nil {
		_, err = fmt.Fprintf(a.Stdout, "\nTo replay it:\n  %s\n", strings.Join(replay, " \\\n    "))
	}
	return err
}

// ofArgument is an error that names the command instead of file, the parameter of arrival trace.
type ofArgument struct{ error }

func (e ofArgument) Error() string {
	if rest, ok := strings.CutPrefix(e.error.Error(), "file: "); ok {
		return "trace: " + rest
	}
	return e.error.Error()
}

func (e ofArgument) Unwrap() error { return e.error }

func (o traceOptions) describe(file string) (*recorded.Document, error) {
	s := traces.Source{File: file, Time: o.column, Duration: traces.Column(o.duration),
		Class: traces.Column(o.class), End: o.at == "end", Unit: traces.UnitOf(o.unit),
		Layout: traces.Layout(o.layout)}
	t, err := s.Read()
	if err != nil {
		return nil, ofArgument{err}
	}
	p, err := t.Plan(traces.Window{From: o.from, To: o.to, Speed: 1, Scale: 1})
	if err != nil {
		return nil, err
	}
	due := p.Records(0)
	if due[0].At == due[len(due)-1].At {
		return nil, fmt.Errorf("trace: %s: all arrivals have the same time: use arrival batch", file)
	}
	d := &recorded.Document{File: file, Description: traffic.Describe(due, s.Duration != ""),
		Notes: text.JSONList(slices.Clone(t.Notes))}
	if o.from != "" || o.to != "" {
		for i, note := range d.Notes {
			d.Notes[i] = "in the whole file, " + note
		}
	}
	if s.Duration == "" {
		for i, name := range t.Columns {
			if name != "" && o.column != name && o.column != strconv.Itoa(i+1) {
				d.Unread = append(d.Unread, name)
			}
		}
	}
	if s.Class != "" {
		long, err := p.Long("")
		if err != nil {
			return nil, err
		}
		d.Classes = traffic.Classes(due, t.Classes, long)
	}
	if like, ok := traffic.Closest(due); ok {
		d.Resembles = &like
	}
	if err := o.replay(d); err != nil {
		d.Notes = append(d.Notes, "the file cannot be replayed under this name: "+err.Error())
	}
	return d, nil
}

func (o traceOptions) replay(d *recorded.Document) error {
	defaults := map[string]string{"at": "begin", "unit": "auto"}
	given := func(args ...param.Arg) param.Call {
		c := param.Call{Name: "trace", Args: []param.Arg{{Key: "file", Value: d.File}}}
		for _, arg := range append(args, param.Arg{Key: "layout", Value: traces.Layout(o.layout)},
			param.Arg{Key: "at", Value: o.at},
			param.Arg{Key: "from", Value: o.from}, param.Arg{Key: "to", Value: o.to}) {
			if arg.Value != "" && arg.Value != defaults[arg.Key] {
				c.Args = append(c.Args, arg)
			}
		}
		return c
	}
	column := param.Arg{Key: "column", Value: o.column}
	unit := param.Arg{Key: "unit", Value: o.unit}
	timed := []param.Arg{column}
	if o.at == "end" {
		timed = append(timed, param.Arg{Key: "duration", Value: o.duration}, unit)
	}
	arrival, err := arrivals.Resolve(given(timed...))
	if err != nil {
		return err
	}
	d.Arrival = arrival.String()
	if o.duration == traces.NoColumn {
		return nil
	}
	column.Value = o.duration
	timed = []param.Arg{column, {Key: "time", Value: o.column}, unit}
	if o.class != traces.NoColumn {
		timed = append(timed, param.Arg{Key: "class", Value: o.class})
	}
	workload, err := workloads.Resolve(given(timed...))
	if err != nil {
		return err
	}
	d.Workload = workload.String()
	return nil
}

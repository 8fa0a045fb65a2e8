package cli

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/internal/traces"
	"github.com/poolbench/poolbench/internal/traffic"
	"github.com/poolbench/poolbench/workloads"
)

// traceOptions are the flags of trace. Their names are those of arrival trace.
type traceOptions struct {
	column, duration, at, from, to, format string
}

func (a *app) traceCommand() *cobra.Command {
	var o traceOptions
	cmd := &cobra.Command{
		Use:   "trace FILE [flags]",
		Short: "describe recorded traffic, and say how to replay it",
		Args:  operands("FILE"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.describeTrace(args[0], o) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.column, "column", "1", "`COLUMN` of the times: its number, or its name in the "+
		"first line; of JSON lines, the name of a member")
	fs.StringVar(&o.duration, "duration", traces.NoColumn, "`COLUMN` of the durations")
	choiceFlag(cmd, &o.at, "at", "what a time is of: the begin of a task or its end, as in nginx's log",
		"begin", "end")
	fs.StringVar(&o.from, "from", "", "`BEGIN` of the part to look at: 09:00 on the first day, or "+
		"10m after the first")
	fs.StringVar(&o.to, "to", "", "`END` of that part, likewise")
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	return cmd
}

// A described trace is what there is to say of a file.
type described struct {
	File string `json:"file"`
	traffic.Description
	Resembles *traffic.Likeness `json:"resembles"` // null where there are too few tasks
	Notes     []string          `json:"notes"`     // what is odd in the file
	// that play it; "" where there are no durations, or the file has an impossible name
	Arrival  string `json:"arrival,omitempty"`
	Workload string `json:"workload,omitempty"`
}

// describeTrace is `poolbench trace`.
func (a *app) describeTrace(file string, o traceOptions) error {
	d, err := o.describe(file)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return jsondoc.Write(a.stdout, d)
	}
	fmt.Fprintf(a.stdout, "%s\n\n", d.headline())
	if err := a.list(d.rows()); err != nil {
		return err
	}
	for _, note := range d.Notes {
		a.say("", "odd: "+note, textColumns)
	}
	if d.Arrival == "" {
		return nil
	}
	fmt.Fprintf(a.stdout, "\nTo replay it:\n  poolbench run --clock virtual --limit %d \\\n    --arrival %s",
		d.limit(), shellWord(d.Arrival))
	if d.Workload != "" {
		fmt.Fprintf(a.stdout, " \\\n    --workload %s", shellWord(d.Workload))
	}
	_, err = fmt.Fprintln(a.stdout)
	return err
}

// textColumns is the width of lines for which the reader has no other.
const textColumns = 80

// describe reads the file.
func (o traceOptions) describe(file string) (*described, error) {
	s := traces.Source{File: file, Time: o.column, End: o.at == "end"}
	if o.duration != traces.NoColumn {
		s.Duration = o.duration
	}
	t, err := s.Read()
	if err != nil {
		return nil, err
	}
	p, err := t.Plan(traces.Window{From: o.from, To: o.to, Speed: 1, Scale: 1})
	if err != nil {
		return nil, err
	}
	records := p.Records(0)
	due, took := make([]int64, len(records)), make([]int64, len(records))
	for i, r := range records {
		due[i], took[i] = r.At, r.Took
	}
	if due[0] == due[len(due)-1] {
		return nil, fmt.Errorf("file: %s: all arrivals are of one instant: that is arrival batch, "+
			"and there is nothing to describe", file)
	}
	if s.Duration == "" {
		took = nil
	}
	d := &described{File: file, Description: traffic.Describe(due, took),
		Notes: jsondoc.List(t.Notes)}
	if like, ok := traffic.Closest(due); ok {
		d.Resembles = &like
	}
	if err := o.replay(d); err != nil {
		d.Notes = append(d.Notes, "it cannot be replayed under this name: "+err.Error())
	}
	return d, nil
}

// replay settles the arrivals and the workload that play the file.
func (o traceOptions) replay(d *described) error {
	given := func(args ...param.Arg) param.Call {
		c := param.Call{Name: "trace", Args: []param.Arg{{Key: "file", Value: d.File}}}
		for _, arg := range append(args, param.Arg{Key: "at", Value: o.at},
			param.Arg{Key: "from", Value: o.from}, param.Arg{Key: "to", Value: o.to}) {
			if arg.Value != "" && arg.Value != "begin" {
				c.Args = append(c.Args, arg)
			}
		}
		return c
	}
	column := param.Arg{Key: "column", Value: o.column}
	took := param.Arg{Key: "duration"}
	if o.at == "end" {
		took.Value = o.duration
	}
	arrival, err := arrivals.Resolve(given(column, took))
	if err != nil {
		return err
	}
	d.Arrival = arrival.String()
	if o.duration == traces.NoColumn {
		return nil
	}
	column.Value = o.duration
	workload, err := workloads.Resolve(given(column, param.Arg{Key: "time", Value: o.column}))
	if err != nil {
		return err
	}
	d.Workload = workload.String()
	return nil
}

// limit is one at which the tasks do not pile up for ever: a third above those that are busy on
// average.
func (d *described) limit() int {
	if d.Durations == nil {
		return 4
	}
	return int(math.Ceil(d.Durations.Busy*4/3 + 0.5))
}

func (d *described) headline() string {
	return fmt.Sprintf("%s: %d tasks in %s, %s on average", d.File, d.Tasks,
		quantity.Roughly(time.Duration(d.Span*1e9)), quantity.Rate(d.Rate))
}

// rows are what is told, a line each.
func (d *described) rows() [][]string {
	part := d.Span / float64(len(d.Course))
	most := 0
	for _, n := range d.Course {
		most = max(most, n)
	}
	rows := [][]string{
		{"rate over time", blocks(d.Course, most)},
		{"", fmt.Sprintf("%s each, the highest %s", quantity.Seconds(part),
			quantity.Rate(float64(most)/part))},
		{"busiest tenth", fmt.Sprintf("%s, %s the mean, from %s on", quantity.Rate(d.Peak.Rate),
			times(d.Peak.Rate/d.Rate), quantity.Seconds(d.Peak.From))},
		{"gaps", fmt.Sprintf("mean %s, C² %s (Poisson: 1), correlation with the next %s",
			quantity.Seconds(1/d.Rate), quantity.Digits(d.GapC2), correlation(d.GapRho))},
	}
	if d.Together > 0 {
		rows = append(rows, []string{"", quantity.Share(d.Together) + " of the tasks come at the " +
			"instant of the one before"})
	}
	for i, w := range d.Dispersion {
		name := ""
		if i == 0 {
			name = "counts"
		}
		rows = append(rows, []string{name, fmt.Sprintf("in windows of %s they vary %s as much as "+
			"Poisson's", quantity.Seconds(w.Window), times(w.Index))})
	}
	rows = append(rows, []string{"resembles", d.resembles()})
	if t := d.Durations; t != nil {
		p99 := "not told"
		if t.P99 > 0 {
			p99 = quantity.Seconds(t.P99)
		}
		rows = append(rows, []string{"durations", fmt.Sprintf("mean %s, p50 %s, p99 %s, longest %s",
			quantity.Seconds(t.Mean), quantity.Seconds(t.P50), p99, quantity.Seconds(t.Max))},
			[]string{"", fmt.Sprintf("C² %s (exponential: 1), correlation with the next %s",
				quantity.Digits(t.C2), correlation(t.Rho))},
			[]string{"busy slots", fmt.Sprintf("%s on average, so a limit above that",
				quantity.Digits(t.Busy))})
	}
	return rows
}

// resembles says what the arrivals are like, and how badly.
func (d *described) resembles() string {
	like := d.Resembles
	switch {
	case like == nil:
		return "not told: too few tasks"
	case like.Factor > 2:
		return fmt.Sprintf("nothing that is built in: %s is the closest, and its counts vary "+
			"otherwise by a factor of %s", like.Arrival, quantity.Digits(like.Factor))
	}
	return fmt.Sprintf("%s: its counts vary otherwise by a factor of %s at most", like.Arrival,
		quantity.Digits(like.Factor))
}

func times(x float64) string { return quantity.Digits(x) + " times" }

// correlation has two digits after the point: more are noise.
func correlation(rho float64) string {
	return strings.TrimPrefix(fmt.Sprintf("%.2f", math.Round(rho*100)/100+0), "+")
}

// blocks draw counts as heights, the least that is not 0 visible.
func blocks(counts []int, most int) string {
	heights := []rune(" ▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, n := range counts {
		b.WriteRune(heights[int(math.Ceil(float64(n)/float64(most)*float64(len(heights)-1)))])
	}
	return b.String()
}

// shellWord spells a word for a shell.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_./:=,+@%", r) || '0' <= r && r <= '9' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

package directory

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// The buffer is written at once, so a kill rarely leaves half a line.
type output struct {
	to     io.Writer
	buffer bytes.Buffer
}

func (o *output) flush() error {
	_, err := o.to.Write(o.buffer.Bytes())
	o.buffer.Reset()
	return err
}

func (o *output) begin(file *dirFile, head func() error) error {
	if file.good > 0 {
		return nil
	}
	return errors.Join(head(), o.flush())
}

// distributions.hlog contains a histogram per run and reading and, for the first runs, the response
// time of each task.
type distributionsWriter struct {
	output
	most, tasks int // limit and number of tasks with recorded responses
}

func newDistributionsWriter(to *dirFile) (*distributionsWriter, error) {
	w := &distributionsWriter{output: output{to: to}}
	return w, w.begin(to, func() error { return rundir.WriteHistogramHead(&w.buffer) })
}

func (w *distributionsWriter) put(r *bench.Result, repetition int) {
	for _, reading := range r.Readings {
		rundir.WriteHistogram(&w.buffer, rundir.Histogram{Largest: reading.Max,
			Tag: rundir.Tag(r.Name, repetition, reading.Of), Encoded: reading.Histogram})
	}
	for _, v := range r.Windows {
		rundir.WriteHistogram(&w.buffer, rundir.Histogram{Start: v.Start, Length: v.Length,
			Tag:     rundir.Tag(r.Name, repetition, rundir.OverTime),
			Largest: v.Max, Encoded: v.Histogram})
	}
	if r.Responses != "" && w.tasks+r.Tasks <= w.most {
		w.tasks += r.Tasks
		rundir.WriteResponses(&w.buffer, rundir.Tag(r.Name, repetition, ofTasks), r.Tasks,
			r.Responses)
	}
}

const ofTasks = "tasks"

type rowsWriter struct {
	output
	csv *csv.Writer
}

func newRowsWriter(to *dirFile, columns []string) (*rowsWriter, error) {
	w := &rowsWriter{output: output{to: to}}
	w.csv = csv.NewWriter(&w.buffer)
	return w, w.begin(to, func() error { return w.csv.WriteAll([][]string{columns}) })
}

func timelineRows(r *bench.Result, repetition int) (rows [][]string) {
	for _, v := range r.Timeline {
		row := rundir.TimelineRow{Run: r.Name, Repetition: repetition,
			Start: v.Start.Seconds(), Length: v.Length.Seconds(), Limit: v.Limit}
		for i, n := range v.Counts() {
			row.Counts[i] = *n
		}
		rows = append(rows, row.Fields())
	}
	return rows
}

func slowestRows(r *bench.Result, repetition int) [][]string {
	tasks := make([]rundir.SlowTask, len(r.Slowest))
	for i, t := range r.Slowest {
		tasks[i] = rundir.SlowTask(t)
	}
	return rundir.SlowestRows(r.Name, repetition, tasks)
}

// resultsWriter writes results in the Go benchmark format, with rundir.Mark lines for other data.
type resultsWriter struct {
	output
	format *benchfmt.Writer
	config []benchfmt.Config
	parts  map[string]bool              // units of stages and steps whose direction is written
	why    func(*bench.Result) []string // may be nil
}

func newResultsWriter(to io.Writer) (*resultsWriter, error) {
	w := &resultsWriter{output: output{to: to}, config: Machine(),
		parts: map[string]bool{}}
	w.format = benchfmt.NewWriter(&w.buffer)
	var names []string
	for _, s := range strategies.All() {
		names = append(names, s.Name)
	}
	w.add(rundir.Header.Line(strconv.Itoa(rundir.Schema)))
	w.add(rundir.Strategies.Line(strings.Join(names, " ")))
	for _, m := range observe.Metrics() {
		if m.Better != "" {
			w.add(m.Line(m.Unit))
		}
	}
	return w, w.flush()
}

func (w *resultsWriter) put(format *benchfmt.Writer, r *bench.Result) error {
	config := w.config
	if r.Machine != nil {
		config = r.Machine
	}
	line := benchfmt.Result{Config: config, Name: benchfmt.Name(r.Name), Iters: r.Tasks}
	for _, m := range r.Metrics {
		if line, ok := partLine(m.Unit); ok && !w.parts[m.Unit] {
			w.parts[m.Unit] = true
			w.add(line)
		}
		value, unit := benchunit.Tidy(m.Value, m.Unit)
		line.Values = append(line.Values,
			benchfmt.Value{Value: value, Unit: unit, OrigValue: m.Value, OrigUnit: m.Unit})
	}
	// The seed is not a configuration line, because a value that differs between runs would split
	// the tables of every reader.
	w.add(rundir.Seed.Line(strconv.FormatUint(r.Seed, 10)))
	for _, agent := range r.Agents {
		w.add(rundir.Agent.Line(text.Plain(strings.Join(strings.Fields(agent), " "))))
	}
	for _, law := range r.Broken {
		w.add(rundir.BrokenLaw.Line(law))
	}
	for _, reason := range r.Reasons {
		if reason.Check != rundir.CheckLaw {
			w.add(doubts[reason.Verdict].Line(reason.String()))
		}
	}
	for _, m := range r.Uncertain {
		w.add(rundir.UncertainLine(m.Unit, m.Value))
	}
	if r.Undecided != "" {
		w.add(rundir.Undecided.Line(text.Plain(r.Undecided)))
	}
	if w.why != nil {
		for _, cause := range w.why(r) {
			w.add(rundir.Why.Line(cause))
		}
	}
	return format.Write(&line)
}

func partLine(unit string) (line string, ok bool) {
	for _, m := range observe.PartMetrics(unit) {
		if m.Unit == unit && m.Better != "" {
			return m.Line(unit), true
		}
	}
	return "", false
}

var doubts = map[result.Verdict]rundir.Mark{result.Invalid: rundir.Invalid,
	result.Suspect: rundir.Suspect}

func (w *resultsWriter) add(line string) { w.buffer.WriteString(line + "\n") }

func (w *resultsWriter) line(line string) error {
	w.add(line)
	return w.flush()
}

func (w *resultsWriter) conclude(f decide.Finding) error {
	w.add(rundir.Study.Line(f.Study + ": " + f.Question))
	w.add(rundir.Claim.Line(f.Claim))
	if len(f.Decides) > 0 {
		w.add(rundir.Decides.Line(strings.Join(f.Decides, " ")))
	}
	w.add(rundir.Verdict.Line(string(f.Verdict) + ": " + f.Because))
	if f.Advice != "" {
		w.add(rundir.Advice.Line(f.Advice))
	}
	if f.Table != nil {
		for _, cells := range f.Table.Lines() {
			w.add(rundir.Row.Line(strings.Join(cells, rundir.Cells)))
		}
	}
	for _, line := range f.Lines {
		w.add(rundir.Answer.Line(line))
	}
	return w.flush()
}

// Machine returns constant facts, because a value that differs between runs would split the tables
// of every reader.
func Machine() []benchfmt.Config {
	var config []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	add("goos", runtime.GOOS)
	add("goarch", runtime.GOARCH)
	add("cpu", machine.CPUModel())
	add("gomaxprocs", strconv.Itoa(runtime.GOMAXPROCS(0)))
	add("pacing", pace.Method())
	add("go", runtime.Version())
	add("commit", commit())
	return config
}

// A modified tree has a + after its revision.
func commit() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, changed string
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision == "" {
		return ""
	}
	return fmt.Sprintf("%.12s%s", revision, changed)
}

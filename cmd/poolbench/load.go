package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/reports"
)

// A load is one HTTP load to be put on, again and again: a row of the table.
type load struct {
	row      string
	name     string // of its results
	estimate time.Duration
	run      func(ctx context.Context, seed uint64, watch func(attack.Progress)) (*attack.Report, error)
}

// loadOptions are the flags that attack and gateway share: how often, and where to.
type loadOptions struct {
	dir    runOptions // out, force and append
	count  int
	seed   uint64
	dryRun bool
	quiet  bool
	format string
}

func (o *loadOptions) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.IntVar(&o.count, "count", 1, "repetitions `N`; 6 make an interval, 10 a comparison")
	fs.Uint64Var(&o.seed, "seed", 1, "`N` of the arrivals; repetition i uses seed+i")
	fs.StringVar(&o.dir.out, "out", "", "write to this `DIR` (default "+outRoot+"/DATE-TIME, and "+outRoot+"/latest points to it)")
	fs.BoolVar(&o.dir.force, "force", false, "replace the results that DIR holds")
	fs.BoolVar(&o.dir.append, "append", false, "add to the results that DIR holds")
	fs.BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, send nothing")
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

func (o *loadOptions) check() error {
	if o.count < 1 {
		return fmt.Errorf("--count: want a whole number from 1 up, got %d", o.count)
	}
	_, err := o.dir.mode()
	return err
}

// A loaded is what has come of a series of loads.
type loaded struct {
	path    string
	planned int
	reports []*attack.Report
	rows    []row
	failed  []failure
	broken  int
	cut     error
}

// runLoads puts the loads on, interleaved over the repetitions, and shows what came of it.
func (a *app) runLoads(ctx context.Context, kind, heading string, loads []load, o loadOptions) error {
	if o.dryRun {
		for _, l := range loads {
			fmt.Fprintln(a.stdout, l.name)
		}
		return nil
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // a second signal ends the process
	dir, err := a.openDir(o.dir)
	if err != nil {
		return err
	}
	e := &loaded{path: dir.Path(), planned: len(loads) * o.count}
	for _, l := range loads {
		e.rows = append(e.rows, row{strategy: l.row})
	}
	writing := a.putOn(ctx, e, loads, o, dir)
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	writing = errors.Join(writing, dir.Close(e.planned, e.cut))
	if writing == nil && len(e.reports) > 0 {
		writing = reports.WriteReport(e.path)
	}
	if writing != nil {
		a.complain(writing)
	}
	if err := a.showLoaded(kind, heading, e, o.format, writing == nil); err != nil && !errors.Is(err, errStdout) {
		return err
	}
	return e.exitCode(writing)
}

// putOn runs the series into the directory. The error is about the directory.
func (a *app) putOn(ctx context.Context, e *loaded, loads []load, o loadOptions, dir *bench.Dir) error {
	for i := range o.count {
		for k, l := range loads {
			if ctx.Err() != nil {
				return nil
			}
			seed := o.seed + uint64(i)
			show := a.newLoadProgress(l, o.quiet)
			r, err := l.run(ctx, seed, show.step)
			show.close()
			switch {
			case err != nil && ctx.Err() != nil:
				return nil
			case err != nil:
				a.complain(err)
				e.failed = append(e.failed, failure{l.name, seed, err.Error()})
				continue
			}
			if len(r.Broken) > 0 {
				e.broken++
			}
			for _, law := range r.Broken {
				a.complain(fmt.Errorf("%s (seed %d) is not to be believed: %s", r.Name, r.Seed, law))
			}
			if why := nothingCompleted(r); why != "" {
				a.complain(fmt.Errorf("%s (seed %d): not one of %d requests was completed: %s", r.Name, r.Seed, r.Tasks, why))
				e.failed = append(e.failed, failure{r.Name, r.Seed, why})
			}
			if err := dir.Write(r.Result); err != nil {
				return err
			}
			r.Readings, r.Timeline = nil, nil // they are on disk
			e.reports = append(e.reports, r)
			e.rows[k].results = append(e.rows[k].results, r.Result)
		}
	}
	return nil
}

// nothingCompleted says what came instead, where nothing was completed; "" where something was.
func nothingCompleted(r *attack.Report) string {
	if rate, ok := r.Metric("mean-response-sec"); ok && rate >= 0 || r.Cut != nil {
		return ""
	}
	return strings.Join(append(spellCounts("status ", r.Statuses), spellCounts("", r.Errors)...), ", ")
}

func spellCounts(before string, counts []attack.Count) (words []string) {
	for _, c := range counts {
		words = append(words, fmt.Sprintf("%s%s × %d", before, c.What, c.N))
	}
	return words
}

// exitCode is nil for fine.
func (e *loaded) exitCode(writing error) error {
	codes := []int{fine}
	if e.cut != nil {
		codes = append(codes, interrupted)
	}
	if writing != nil || len(e.failed) > 0 {
		codes = append(codes, unusable)
	}
	if e.broken > 0 {
		codes = append(codes, undecided)
	}
	if code := severest(codes...); code != fine {
		return exitCode(code)
	}
	return nil
}

// loadColumns are those of the table.
var loadColumns = []column{
	{"throughput", "ops/s", true, rate},
	{"mean response", "mean-response-sec", true, seconds},
	{"p50", "p50-response-sec", true, seconds},
	{"p99", "p99-response-sec", true, seconds},
	{"p99 service", "p99-service-sec", true, seconds},
	{"p99 lag", "p99-lag-sec", true, seconds},
	{"shed", "shed/op", false, share},
	{"throttled", "throttled/op", false, share},
	{"failed", "failed/op", false, share},
	{"abandoned", "abandoned/op", false, share},
}

// A loadDocument is what attack and gateway print with --format json.
type loadDocument struct {
	head
	Dir      string     `json:"dir"`
	Results  string     `json:"results"`
	Report   string     `json:"report,omitempty"`
	Planned  int        `json:"planned"`
	Complete bool       `json:"complete"`
	Cut      string     `json:"interrupted,omitempty"`
	Runs     []loadLine `json:"runs"`
	Failed   []failure  `json:"failed,omitempty"`
}

// A loadLine is one result.
type loadLine struct {
	runLine
	Statuses []attack.Count `json:"statuses,omitempty"`
	Errors   []attack.Count `json:"errors,omitempty"`
}

func (a *app) showLoaded(kind, heading string, e *loaded, format string, reported bool) error {
	report := ""
	if reported && len(e.reports) > 0 {
		report = filepath.Join(e.path, reports.ReportFile)
	}
	if format == "json" {
		return a.json(e.document(kind, report))
	}
	if len(e.reports) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout, heading+(&group{rows: e.rows}).repetitions())
	if err := e.table(a.stdout); err != nil {
		return err
	}
	e.answers(a.stdout)
	for _, r := range e.reports {
		if note := lateness(r); note != "" {
			a.complain(fmt.Errorf("%s (seed %d): %s", r.Name, r.Seed, note))
		}
	}
	_, err := fmt.Fprintf(a.stdout, `
Report: %s
  Response counts from the instant a request was due; service from its sending; lag is by how much it was sent too late.
`, report)
	return err
}

func (e *loaded) document(kind, report string) loadDocument {
	doc := loadDocument{
		head: newHead(kind), Dir: e.path, Results: filepath.Join(e.path, reports.ResultsFile), Report: report,
		Planned: e.planned, Complete: len(e.reports) == e.planned && e.cut == nil, Runs: []loadLine{}, Failed: e.failed,
	}
	if e.cut != nil {
		doc.Cut = e.cut.Error()
	}
	for _, r := range e.reports {
		line := loadLine{runLine{r.Name, r.Seed, r.Tasks, map[string]float64{}, r.Broken}, r.Statuses, r.Errors}
		for _, m := range r.Metrics {
			if !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) {
				line.Metrics[m.Unit] = m.Value
			}
		}
		doc.Runs = append(doc.Runs, line)
	}
	return doc
}

func (e *loaded) table(to io.Writer) error {
	first := "strategy"
	width := len(first)
	for _, r := range e.rows {
		width = max(width, len([]rune(r.strategy)))
	}
	var shown []column
	cells := []string{first}
	for _, c := range loadColumns {
		needed := c.always
		for _, r := range e.rows {
			v, _ := r.value(c.unit)
			needed = needed || v != 0
		}
		if needed {
			shown = append(shown, c)
			cells = append(cells, c.head)
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	writeRow(w, width, cells)
	for _, r := range e.rows {
		if len(r.results) == 0 {
			continue
		}
		cells := []string{r.strategy}
		for _, c := range shown {
			cells = append(cells, r.spell(c))
		}
		writeRow(w, width, cells)
	}
	return w.Flush()
}

// answers says, for every load, which statuses and errors came, over all repetitions.
func (e *loaded) answers(to io.Writer) {
	fmt.Fprintln(to)
	for _, r := range e.rows {
		var words []string
		for _, kind := range []struct {
			before string
			counts func(*attack.Report) []attack.Count
		}{
			{"status ", func(r *attack.Report) []attack.Count { return r.Statuses }},
			{"", func(r *attack.Report) []attack.Count { return r.Errors }},
		} {
			var sum []attack.Count
			for _, report := range e.reports {
				if !r.has(report.Result) {
					continue
				}
				for _, c := range kind.counts(report) {
					sum = addCount(sum, c)
				}
			}
			words = append(words, spellCounts(kind.before, sum)...)
		}
		if len(words) > 0 {
			fmt.Fprintf(to, "  %s: %s\n", r.strategy, strings.Join(words, ", "))
		}
	}
}

func addCount(sum []attack.Count, c attack.Count) []attack.Count {
	for i := range sum {
		if sum[i].What == c.What {
			sum[i].N += c.N
			return sum
		}
	}
	return append(sum, c)
}

func (r row) has(result *bench.Result) bool {
	for _, x := range r.results {
		if x == result {
			return true
		}
	}
	return false
}

// lateness says that the generator did not keep up, where that matters: a tenth of the response at its p99, and a millisecond.
func lateness(r *attack.Report) string {
	lag, _ := r.Metric("p99-lag-sec")
	response, ok := r.Metric("p99-response-sec")
	if !ok || lag < 0.001 || lag < response/10 {
		return ""
	}
	return fmt.Sprintf("p99 of the lag is %s: the generator did not keep up, or every worker was busy (%v in flight at most); try more --workers, or unlimited",
		seconds(lag), valueOf(r, "peak-inflight"))
}

func valueOf(r *attack.Report, unit string) float64 {
	v, _ := r.Metric(unit)
	return v
}

// A loadProgress tells how far a load is: a line that changes on a terminal, a line for each tenth elsewhere, and at least for each minute.
type loadProgress struct {
	to       io.Writer
	load     load
	terminal bool
	tenths   int
}

func (a *app) newLoadProgress(l load, quiet bool) *loadProgress {
	p := &loadProgress{load: l}
	if quiet {
		return p
	}
	p.to = a.stderr
	f, ok := a.stderr.(*os.File)
	p.terminal = ok && term.IsTerminal(int(f.Fd()))
	return p
}

func (p *loadProgress) step(now attack.Progress) {
	if p.to == nil {
		return
	}
	line := fmt.Sprintf("%s: %d requests settled, %d not completed", p.load.row, now.Settled, now.Failed)
	if left := p.load.estimate - now.Elapsed; p.load.estimate > 0 && left > 0 {
		line += ", about " + roughly(left) + " left"
	}
	if p.terminal {
		fmt.Fprintf(p.to, "\r\x1b[K%s", line)
		return
	}
	tenth := min(max(p.load.estimate/10, 2*time.Second), time.Minute)
	if n := int(now.Elapsed / tenth); n > p.tenths {
		p.tenths = n
		fmt.Fprintln(p.to, line)
	}
}

func (p *loadProgress) close() {
	if p.to != nil && p.terminal {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

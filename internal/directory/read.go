package directory

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

type contents struct {
	repetitions map[string]int      // number of results by name
	seeds       map[string][]uint64 // seeds of results and failed runs, by name
	// valid size of each of dirFiles, without data cut off by a kill
	whole [len(dirFiles)]int64
	tasks int     // number of tasks with recorded responses
	last  section // last section, when resuming
}

// A section is the output of one process in results.txt.
type section struct {
	begun    bool // whether it has a header
	complete bool // whether it has an end mark of a complete section
	plan     string
	config   map[string]string // configuration at its end
	results  []*bench.Result
	failures []rundir.Failure
}

func readContents(path string, resume bool) (c contents, err error) {
	c.repetitions, c.seeds = map[string]int{}, map[string][]uint64{}
	sections, whole, err := readSections(filepath.Join(path, rundir.ResultsFile))
	if err != nil {
		return c, err
	}
	c.whole[0] = whole[len(sections)]
	if n := len(sections); resume && n > 0 {
		c.last, sections = sections[n-1], sections[:n-1]
		c.whole[0] = whole[n-1]
	}
	for _, s := range sections {
		for _, r := range s.results {
			c.repetitions[r.Name]++
			c.seeds[r.Name] = append(c.seeds[r.Name], r.Seed)
		}
		for _, f := range s.failures {
			c.seeds[f.Name] = append(c.seeds[f.Name], f.Seed)
		}
	}
	take, err := c.readRest(path)
	if err != nil {
		return c, err
	}
	for _, r := range c.last.results {
		take(r)
	}
	return c, nil
}

// take adds the data of the other files to the next result that is not final.
func (c *contents) readRest(path string) (take func(r *bench.Result) int, err error) {
	readings, err := c.readDistributions(filepath.Join(path, rundir.DistributionsFile))
	if err != nil {
		return nil, err
	}
	timelines, err := c.readTimeline(filepath.Join(path, rundir.TimelineFile))
	if err != nil {
		return nil, err
	}
	slowest, err := c.readSlowest(filepath.Join(path, rundir.SlowestFile))
	if err != nil {
		return nil, err
	}
	next := map[string]int{}
	return func(r *bench.Result) int {
		n := c.repetitions[r.Name] + next[r.Name]
		next[r.Name]++
		takeReadings(r, readings[nth{rundir.TagName(r.Name), n}])
		r.Timeline, r.Slowest = timelines[nth{r.Name, n}], slowest[nth{r.Name, n}]
		return n
	}, nil
}

// end is the offset after the line. A missing file has no lines.
func eachLine(path string, f func(line string, end int64) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file", path))
	}
	lines := bufio.NewReaderSize(files.Lines(file, rundir.MaxLine), 1<<16)
	for end := int64(0); ; {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil // ignores an incomplete last line
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		end += int64(len(line))
		if err := f(strings.TrimSuffix(line, "\n"), end); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// at contains the start of each section and the end of the last one.
func readSections(path string) (sections []section, at []int64, err error) {
	var r *bench.Result // filled by lines before the next result
	begin := int64(0)
	err = eachLine(path, func(line string, end int64) error {
		defer func() { begin = end }()
		if mark, _, _ := rundir.ParseMark(line); mark == rundir.Header {
			sections, at, r = append(sections, section{begun: true, config: map[string]string{}}),
				append(at, begin), &bench.Result{}
			return nil
		}
		if len(sections) == 0 { // the file does not begin with a poolbench header
			sections, at, r = []section{{config: map[string]string{}}}, []int64{0}, &bench.Result{}
		}
		s := &sections[len(sections)-1]
		if !strings.HasPrefix(line, "Benchmark") {
			return s.note(line, r)
		}
		if err := parseResult(line, r); err != nil {
			return err
		}
		s.results, r = append(s.results, r), &bench.Result{}
		return nil
	})
	return sections, append(at, begin), err
}

// next is the result after the line.
func (s *section) note(line string, next *bench.Result) (err error) {
	if !strings.HasPrefix(line, "# ") {
		if key, value, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "Unit ") {
			s.config[key] = value
		}
		return nil
	}
	switch mark, value, _ := rundir.ParseMark(line); mark {
	case rundir.Plan:
		s.plan = value
	case rundir.Seed:
		next.Seed, err = strconv.ParseUint(value, 10, 64)
	case rundir.Agent:
		next.Agents = append(next.Agents, value)
	case rundir.Complete:
		s.complete = true
	case rundir.Failed:
		var f rundir.Failure
		f, err = rundir.ParseFailure(value)
		s.failures = append(s.failures, f)
	case rundir.BrokenLaw:
		next.Broken = append(next.Broken, value)
		next.Doubt(result.Invalid, rundir.CheckLaw, "%s", value)
	case rundir.Uncertain:
		var m result.Metric
		m.Unit, m.Value, err = rundir.ParseUncertain(value)
		next.Uncertain = append(next.Uncertain, m)
	case rundir.Invalid, rundir.Suspect:
		verdict := result.Suspect
		if mark == rundir.Invalid {
			verdict = result.Invalid
		}
		check, text, _ := strings.Cut(value, ": ")
		next.Doubt(verdict, check, "%s", text)
	}
	return err
}

func parseResult(line string, r *bench.Result) error {
	reader := benchfmt.NewReader(strings.NewReader(line+"\n"), rundir.ResultsFile)
	if !reader.Scan() {
		return fmt.Errorf("no result: %q", line)
	}
	rec, ok := reader.Result().(*benchfmt.Result)
	if !ok {
		return fmt.Errorf("no result: %q", line)
	}
	r.Name, r.Tasks = string(rec.Name), rec.Iters
	for _, v := range rec.Values {
		m := result.Metric{Unit: v.Unit, Value: v.Value}
		if v.OrigUnit != "" {
			m = result.Metric{Unit: v.OrigUnit, Value: v.OrigValue}
		}
		r.Metrics = append(r.Metrics, m)
	}
	return nil
}

func (c *contents) belongs(name string, repetition int) bool {
	return repetition < c.repetitions[name]
}

type nth struct {
	name       string
	repetition int
}

// readDistributions finds the final part of distributions.hlog. It returns the other histograms,
// with the reading in place of the tag.
func (c *contents) readDistributions(path string) (map[nth][]rundir.Histogram, error) {
	of := map[string]string{}
	for name := range c.repetitions {
		of[rundir.TagName(name)] = name
	}
	more := map[nth][]rundir.Histogram{}
	err := eachLine(path, func(line string, end int64) error {
		h, ok, err := rundir.ParseHistogram(line)
		tasks := 0
		if !ok {
			h.Tag, tasks, h.Encoded, ok = rundir.ParseResponses(line)
		}
		name, repetition, reading, tagged := rundir.ParseTag(h.Tag)
		switch {
		case !ok || !tagged:
			if len(more) == 0 {
				c.whole[1] = end // the head
			}
			return nil
		case c.belongs(of[name], repetition):
			c.whole[1] = end
			c.tasks += tasks
			return nil
		}
		at := nth{name, repetition}
		if h.Tag = reading; reading == rundir.OverTime && h.Length <= 0 {
			return errors.Join(err, fmt.Errorf("%s: a stretch of no length", name))
		}
		more[at] = append(more[at], h)
		return err
	})
	return more, err
}

func takeReadings(r *bench.Result, all []rundir.Histogram) {
	for _, h := range all {
		switch h.Tag {
		case ofTasks:
			r.Responses = h.Encoded
		case rundir.OverTime:
			r.Windows = append(r.Windows, result.Window{Start: h.Start, Length: h.Length,
				Histogram: h.Encoded, Max: h.Largest})
		default:
			r.Readings = append(r.Readings,
				result.Reading{Of: h.Tag, Histogram: h.Encoded, Max: h.Largest})
		}
	}
}

func (c *contents) readTimeline(path string) (map[nth][]result.Bucket, error) {
	return readRows(c, path, 2, rundir.IsTimelineHead,
		func(row []string) (nth, result.Bucket, error) {
			r, err := rundir.ParseTimelineRow(row)
			return nth{r.Run, r.Repetition}, interval(r), err
		})
}

// Older directories do not have slowest.csv.
func (c *contents) readSlowest(path string) (map[nth][]result.SlowTask, error) {
	return readRows(c, path, 3, rundir.IsSlowestHead,
		func(row []string) (nth, result.SlowTask, error) {
			run, repetition, t, err := rundir.ParseSlowestRow(row)
			return nth{run, repetition}, result.SlowTask(t), err
		})
}

// readRows finds the final part of a table, and returns the other rows. file is an index in
// dirFiles.
func readRows[T any](
	c *contents, path string, file int, isHead func(row []string) bool,
	parse func(row []string) (nth, T, error),
) (map[nth][]T, error) {
	var text bytes.Buffer
	if err := eachLine(path, func(line string, _ int64) error {
		text.WriteString(line + "\n")
		return nil
	}); err != nil {
		return nil, err
	}
	more := map[nth][]T{}
	rows := csv.NewReader(&text)
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return more, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case isHead(row):
			c.whole[file] = rows.InputOffset()
			continue
		}
		at, one, err := parse(row)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if c.belongs(at.name, at.repetition) {
			c.whole[file] = rows.InputOffset()
			continue
		}
		more[at] = append(more[at], one)
	}
}

func interval(r rundir.TimelineRow) result.Bucket {
	nanos := func(sec float64) time.Duration { return time.Duration(sec*1e9 + 0.5) }
	v := result.Bucket{Start: nanos(r.Start), Length: nanos(r.Length), Limit: r.Limit}
	for i, n := range v.Counts() {
		*n = r.Counts[i]
	}
	return v
}

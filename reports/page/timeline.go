package page

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

type interval struct {
	end              float64 // seconds since the start of the run
	inFlight, queued float64 // tasks
	length           float64 // seconds
	done, lost       float64 // tasks completed in it, or ended in another way
	limit            float64 // learnt by the strategy. 0: none
	missing          bool    // incomplete: the run was cut off
}

func gapsOf(rows []interval) (gaps []charts.Span) {
	for _, v := range rows {
		if v.missing {
			gaps = append(gaps, charts.Span{From: v.end - v.length, To: v.end})
		}
	}
	return gaps
}

// readTimeline reads first repetitions only.
func (in *reportInput) readTimeline(path string, groups []*Group) error {
	wanted := make(map[string]*results.Run)
	for _, c := range in.detailed {
		wanted[timelineKey(c.Cell[0].Name, c.Cell[0].Repetition)] = c.Cell[0]
	}
	for _, g := range groups {
		for _, s := range g.Sweeps() {
			for _, c := range s.CellsAt(s.At[len(s.At)-1]) {
				wanted[timelineKey(c.Cell[0].Name, c.Cell[0].Repetition)] = c.Cell[0]
			}
		}
	}
	content, err := files.ReadFile(path, rundir.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		in.notes = append(in.notes, rundir.TimelineFile+
			" is missing: the report has no charts of tasks in flight and queued over time.")
		return nil
	} else if err != nil {
		return rundir.PathError(path, err)
	}
	in.timelines = make(map[*results.Run][]interval)
	if whole := content[:bytes.LastIndexByte(content, '\n')+1]; len(whole) < len(content) {
		in.notes = append(in.notes, fmt.Sprintf("%s was cut off in line %d, which is omitted.",
			rundir.TimelineFile, bytes.Count(whole, []byte("\n"))+1))
		content = whole
	}
	return in.readIntervals(bytes.NewReader(content), path, wanted)
}

func timelineKey(name string, repetition int) string {
	return name + "#" + strconv.Itoa(repetition)
}

func (in *reportInput) readIntervals(
	r io.Reader, path string, wanted map[string]*results.Run,
) error {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return csvError(path, err)
		}
		line, _ := rows.FieldPos(0)
		at := results.Pos{File: path, Line: line}
		if line == 1 {
			optional := len(rundir.TimelineColumns) - 1 // older versions lack the limit
			for _, name := range rundir.TimelineColumns[:optional] {
				if !slices.Contains(row, name) {
					return fmt.Errorf("%s: no column %q in the header", at, name)
				}
			}
		}
		if rundir.IsTimelineHead(row) { // also the head of an appended section
			continue
		}
		v, err := rundir.ParseTimelineRow(row)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if run := wanted[timelineKey(v.Run, v.Repetition)]; run != nil {
			lost := 0
			for _, n := range v.Counts[rundir.Completed+1 : rundir.InFlight] {
				lost += n
			}
			in.timelines[run] = append(in.timelines[run], interval{end: v.Start + v.Length,
				inFlight: float64(v.Counts[rundir.InFlight]),
				queued:   float64(v.Counts[rundir.Queued]), length: v.Length,
				done: float64(v.Counts[rundir.Completed]), lost: float64(lost),
				limit:   float64(v.Limit),
				missing: isIncomplete(run, v.Start, v.Length)})
		}
	}
}

func isIncomplete(run *results.Run, start, length float64) bool {
	for _, d := range run.Doubts {
		if text, ok := strings.CutPrefix(d.Text, rundir.CheckGap+": "); ok {
			return slices.ContainsFunc(rundir.ParseGaps(text), func(g rundir.Gap) bool {
				return g.Overlaps(time.Duration(start*1e9), time.Duration(length*1e9))
			})
		}
	}
	return false
}

func csvError(path string, err error) error {
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s: %w", results.Pos{File: path, Line: pe.Line}, pe.Err)
	}
	return rundir.PathError(path, err)
}

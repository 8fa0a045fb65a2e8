package workloads

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The limits of a trace. A million durations are 8 MB in memory and hours of most loads.
const (
	mostTraceBytes = 64 << 20
	mostTraceLines = 1_000_000
)

// traceColumn is the index of a column given by its number, which counts from 1, and -1 for a name.
func traceColumn(column string) (at int, err error) {
	n, err := strconv.Atoi(column)
	if err != nil {
		return -1, nil
	}
	if n < 1 {
		return 0, fmt.Errorf("want 1 or more, or a name, got %s", column)
	}
	return n - 1, nil
}

// readTrace reads the durations in one column of a CSV file: the one of that name, or of index at
// where that is not -1. Empty lines and those that begin with # do not count. A first line is taken
// as names where column is one, or where its field begins as no duration does. Errors begin with
// the number of the line, where one is to blame.
func readTrace(r io.Reader, column string, at int) ([]time.Duration, error) {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // spreadsheets write a byte order mark
		_, _ = in.Discard(3) // as many are buffered
	}
	lines := csv.NewReader(in)
	lines.Comment, lines.FieldsPerRecord, lines.ReuseRecord = '#', -1, true

	var times []time.Duration
	for first := true; ; first = false {
		fields, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, badCSV(err)
		}
		if at < 0 {
			if at = slices.Index(fields, column); at < 0 {
				line, _ := lines.FieldPos(0)
				return nil, fmt.Errorf("line %d: no column is named %q", line, column)
			}
			continue
		}
		if at >= len(fields) {
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d: no column %d, the line has %d", line,
				at+1, len(fields))
		}
		d, err := traceDuration(fields[at])
		if err != nil {
			if first && isName(fields[at]) {
				continue
			}
			line, _ := lines.FieldPos(at)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(times) == mostTraceLines {
			return nil, fmt.Errorf("more than %d durations", mostTraceLines)
		}
		times = append(times, d)
	}
	if len(times) == 0 {
		return nil, errors.New("no durations")
	}
	return times, nil
}

// badCSV words the parser's error as ours are; others are about reading.
func badCSV(err error) error {
	if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("line %d: %w", bad.StartLine, bad.Err)
	}
	return err
}

// traceDuration reads 1.5ms, or 0.0015, which are seconds. No time is negative or longer than a
// time.Duration.
func traceDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if ns := seconds * 1e9; err == nil && ns >= 0 && ns < math.MaxInt64 { // NaN is not
		return time.Duration(math.Round(ns)), nil
	}
	return 0, fmt.Errorf("want a duration such as 1.5ms, or seconds such as 0.0015, got %.40q",
		text)
}

// isName tells a column's name from a duration with a mistake in it.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text[:1], "+-.0123456789")
}

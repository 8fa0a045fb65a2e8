package traces

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

const (
	mostRecords = 100_000_000         // those of a run
	mostLine    = 1 << 20             // bytes of a line
	mostSpan    = 87_600 * time.Hour  // ten years: that of a run
	latest      = 4_102_444_800 * 1e9 // 2100: a date after it is a mistake in the clock or the unit
	leastDate   = 100_000_000 * 1e9   // 1973: a smaller number is no date
	sampled     = 1 << 16             // records from which the number of all is estimated
)

// A reader goes through the lines of one file.
type reader struct {
	Source
	in      *bufio.Reader
	line    int
	size    int64 // of the file; 0 where it says nothing about the number of lines
	read    int64 // bytes
	layout  layout
	clock   clock
	trace   Trace
	highest int64 // latest arrival up to now
	back    oddity
	backBy  int64
	same    oddity
}

// An oddity counts lines of one kind and keeps the first.
type oddity struct{ first, n int }

func (o *oddity) see(line int) {
	if o.n++; o.n == 1 {
		o.first = line
	}
}

func (o oddity) String() string {
	if o.n > 1 {
		return fmt.Sprintf("line %d and %d more", o.first, o.n-1)
	}
	return fmt.Sprintf("line %d", o.first)
}

// read is about a file of that size.
func (s Source) read(f io.Reader, size int64) (*Trace, error) {
	r := &reader{Source: s, in: bufio.NewReaderSize(f, mostLine), size: size}
	if magic, _ := r.in.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(r.in)
		if err != nil {
			return nil, err
		}
		r.in, r.size = bufio.NewReaderSize(unzipped, mostLine), 0
	}
	if mark, _ := r.in.Peek(3); string(mark) == "\ufeff" { // spreadsheets write a byte order mark
		_, _ = r.in.Discard(3) // as many are buffered
	}
	for {
		line, err := r.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			return nil, fmt.Errorf("line %d: longer than 1 MiB", r.line+1)
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		r.line++
		r.read += int64(len(line))
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && line[0] != '#' {
			if bad := r.take(line); bad != nil {
				return nil, fmt.Errorf("line %d: %w", r.line, bad)
			}
		}
		if err == io.EOF {
			return r.finish()
		}
	}
}

// take reads one line. The first one says how all are laid out.
func (r *reader) take(line []byte) error {
	first := r.layout.kind == unknown
	if first {
		if bytes.IndexByte(line, 0) >= 0 {
			return errors.New("binary, want text: CSV, JSON lines or an access log")
		}
		named, err := r.layout.find(line, r.Source)
		if named || err != nil {
			return err
		}
	}
	text, err := r.layout.field(line, r.layout.time)
	if err != nil {
		return err
	}
	at, ok := r.clock.parse(text)
	if !ok {
		if first && r.layout.kind == separated && isName(text) {
			return nil // names, though the column is given by its number
		}
		return fmt.Errorf("want a time such as 2026-05-01T09:00:00.25Z or 1777626000.25, got %.40q",
			text)
	}
	if at > latest {
		return fmt.Errorf("%.40q is a date after the year 2100", text)
	}
	var took int64
	if r.Duration != "" {
		if text, err = r.layout.field(line, r.layout.took); err != nil {
			return err
		}
		if took, ok = parseDuration(text); !ok {
			return fmt.Errorf("want a duration such as 1.5ms, or seconds such as 0.0015, got %.40q",
				text)
		}
	}
	if r.End {
		at -= took
	}
	return r.add(Record{at, took})
}

func (r *reader) add(rec Record) error {
	all := r.trace.Records
	switch {
	case len(all) == mostRecords:
		return fmt.Errorf("more than %d records", mostRecords)
	case len(all) == 0:
		r.highest = rec.At
	case rec.At < r.highest:
		r.back.see(r.line)
		r.backBy = max(r.backBy, r.highest-rec.At)
	case rec.At == r.highest:
		r.same.see(r.line)
	}
	if len(all) > 0 && max(rec.At-all[0].At, all[0].At-rec.At) > int64(mostSpan) {
		return errors.New("more than ten years from the first record")
	}
	if len(all) == sampled && r.size > 0 { // so that memory is asked for once
		estimate := min(float64(sampled)*float64(r.size)/float64(r.read)*1.02, mostRecords)
		all = slices.Grow(all, max(0, int(estimate)-len(all)))
	}
	r.highest = max(r.highest, rec.At)
	r.trace.Records = append(all, rec)
	return nil
}

// finish sorts the records and notes what was odd.
func (r *reader) finish() (*Trace, error) {
	t := &r.trace
	n := len(t.Records)
	switch n {
	case 0:
		return nil, errors.New("no records")
	case 1:
		return nil, errors.New("one record alone: want two at least")
	}
	t.zone, t.dated = r.clock.zone, r.clock.dated
	if r.back.n > 0 {
		slices.SortStableFunc(t.Records, func(a, b Record) int {
			if a.At < b.At {
				return -1
			}
			if a.At > b.At {
				return 1
			}
			return 0
		})
		t.disorder = fmt.Sprintf("%v: arrived before the record above, by up to %v: "+
			"sorted", r.back, time.Duration(r.backBy))
		t.Notes = append(t.Notes, t.disorder)
	}
	if r.same.n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%v: arrived with the record above", r.same))
	}
	span := t.Records[n-1].At - t.Records[0].At
	if span > int64(mostSpan) {
		return nil, errors.New("the records span more than ten years")
	}
	longest, at := int64(0), 0
	for i := 1; i < n; i++ {
		if gap := t.Records[i].At - t.Records[i-1].At; gap > longest {
			longest, at = gap, i
		}
	}
	if mean := span / int64(n-1); n > 100 && longest/100 > mean {
		t.Notes = append(t.Notes, fmt.Sprintf("record %d: comes after a gap of %v, %d times the "+
			"mean", at+1, time.Duration(longest), longest/max(mean, 1)))
	}
	return t, nil
}

package traces

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

const (
	maxRecords = 100_000_000         // as in a run
	maxLine    = 1 << 20             // bytes of a line
	maxSpan    = 87_600 * time.Hour  // ten years, as in a run
	latest     = 4_102_444_800 * 1e9 // 2100: a later date is a mistake in the clock or the unit
	minDate    = 100_000_000 * 1e9   // 1973: a smaller number is not a date
	sampled    = 1 << 16             // records from which the total number is estimated
)

type reader struct {
	Source
	in           *bufio.Reader
	file         *counted      // source of in, before decompression
	ahead        *bufio.Reader // of the file: has buffered data that is not decompressed yet
	line         int
	size         int64 // of the file
	skippedBytes int64 // bytes of empty lines and comments
	recordBytes  int64 // bytes of other lines
	layout       layout
	clock        clock
	classes      texts
	labels       [MaxLabels]texts
	trace        Trace
	highest      int64 // latest arrival so far
	earlier      oddity
	earlierBy    int64
	simultaneous oddity
}

type counted struct {
	in io.Reader
	n  int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// An inflated is a decompressed file, with an error if it is endless.
type inflated struct {
	in   io.Reader
	file *counted
	n    int64
}

// Access logs compress to a twentieth of their size.
const (
	inflatedLeast = 128 << 20 // bytes that any file may have
	maxInflated   = 200       // times the size of the compressed file
)

func (f *inflated) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	if f.n += int64(n); f.n > inflatedLeast && f.n > maxInflated*f.file.n {
		return n, fmt.Errorf("unzipped it has more than %d times its size", maxInflated)
	}
	return n, err
}

// maxSkipped is the largest size of empty lines and comments, unless the records are larger.
const maxSkipped = 16 << 20

func (r *reader) skip(n int) error {
	if r.skippedBytes += int64(n) + 1; r.skippedBytes > maxSkipped && r.skippedBytes > r.recordBytes {
		return fmt.Errorf("%d MiB of it are empty lines and comments, more than the records take up",
			maxSkipped>>20)
	}
	return nil
}

type oddity struct{ first, n int }

func (o *oddity) add(line int) {
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

func (s Source) read(f io.Reader, size int64) (*Trace, error) {
	r := &reader{Source: s, file: &counted{in: f}, size: size}
	r.in = bufio.NewReaderSize(r.file, maxLine)
	r.ahead = r.in
	if magic, _ := r.in.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(r.in)
		if err != nil {
			return nil, err
		}
		r.in = bufio.NewReaderSize(&inflated{in: unzipped, file: r.file}, maxLine)
	}
	if mark, _ := r.in.Peek(3); string(mark) == "\ufeff" { // spreadsheets write a byte order mark
		_, _ = r.in.Discard(3) // they are buffered
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
		var bad error
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && line[0] != '#' {
			r.recordBytes += int64(len(line))
			bad = r.readLine(line)
		} else {
			bad = r.skip(len(line))
		}
		if bad != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, bad)
		}
		if err == io.EOF {
			return r.finish()
		}
	}
}

// The first line determines the layout.
func (r *reader) readLine(line []byte) error {
	first := r.layout.kind == unknown
	if first {
		if bytes.IndexByte(line, 0) >= 0 {
			return errors.New("binary, want text: CSV, JSON lines (as vegeta encode writes) or an " +
				"access log")
		}
		named, err := r.layout.find(line, r.Source)
		if named {
			r.trace.Columns = r.layout.names
		}
		if named || err != nil {
			return err
		}
	}
	names := func(s []byte) bool { // even if the column is given by its number
		return first && r.layout.kind == separated && isName(s)
	}
	if r.trace.Columns != nil && r.layout.kind == separated {
		if err := r.layout.tooMany(line); err != nil {
			return err
		}
	}
	var at int64
	if r.Time != "" {
		s, err := r.layout.field(line, r.layout.time)
		if err != nil {
			return err
		}
		var ok bool
		if at, ok = r.clock.parse(s); !ok {
			if names(s) {
				r.trace.Columns = r.layout.names
				return nil
			}
			err := fmt.Errorf("want a time such as 2026-05-01T09:00:00.25Z or 1777626000.25, "+
				"got %.40q", s)
			if first && r.layout.names != nil {
				if all := named(r.layout.names); len(all) > 0 {
					err = fmt.Errorf("%w; the columns are %s", err,
						text.List(text.Truncate(all, 10)))
				}
			}
			return err
		}
		if at > latest {
			return fmt.Errorf("%.40q is a date after the year 2100", s)
		}
	}
	var took time.Duration
	if r.Duration != "" {
		s, err := r.layout.field(line, r.layout.took)
		if err != nil {
			return err
		}
		if took, err = Duration(s, r.layout.unit); err != nil {
			if r.Time == "" && names(s) {
				return nil
			}
			return err
		}
		if took > maxTook {
			return fmt.Errorf("%.40q is longer than two years", s)
		}
	}
	class := 0
	if r.Class != "" {
		var err error
		class, err = r.textOf(line, r.layout.class, &r.classes, maxClasses, "classes")
		if err != nil {
			return err
		}
	}
	if r.End {
		at -= int64(took)
	}
	for i, column := range r.Labels {
		if column == "" {
			continue
		}
		s, err := r.textOf(line, r.layout.labels[i], &r.labels[i], maxTexts,
			"labels")
		if err != nil {
			return err
		}
		of := &r.trace.Labels[i].Of
		*of = append(*of, uint16(s))
	}
	return r.add(Record{at, uint64(class)<<tookBits | uint64(took)})
}

type texts struct {
	numbers map[string]int
	all     []string // in the order of the file
	where   []string
}

// textOf returns the number of the text of a column in that line.
func (r *reader) textOf(
	line []byte, in column, known *texts, most int, noun string,
) (int, error) {
	text, err := r.layout.field(line, in)
	if err != nil {
		return 0, err
	}
	text = bytes.TrimSpace(text)
	if i, ok := known.numbers[string(text)]; ok {
		return i, nil
	}
	i := len(known.all)
	if i == most {
		return 0, fmt.Errorf("more than %d %s, with %.40q", most, noun, text)
	}
	if known.numbers == nil {
		known.numbers = map[string]int{}
	}
	known.numbers[string(text)] = i
	known.all = append(known.all, string(text))
	known.where = append(known.where, fmt.Sprintf("line %d", r.line))
	return i, nil
}

func (r *reader) add(rec Record) error {
	all := r.trace.Records
	switch {
	case len(all) == maxRecords:
		return fmt.Errorf("more than %d records", maxRecords)
	case len(all) == 0:
		r.highest = rec.At
	case r.Time == "":
	case rec.At < r.highest:
		r.earlier.add(r.line)
		r.earlierBy = max(r.earlierBy, r.highest-rec.At)
	case rec.At == r.highest:
		r.simultaneous.add(r.line)
	}
	if len(all) > 0 && max(rec.At-all[0].At, all[0].At-rec.At) > int64(maxSpan) {
		return errors.New("more than ten years from the first record")
	}
	if n := len(all); n >= sampled && n == cap(all) { // allocates once
		looked := max(r.file.n-int64(r.ahead.Buffered()), 1)
		estimate := min(float64(n)*float64(r.size)/float64(looked)*1.02, maxRecords)
		all = append(make([]Record, 0, max(n, int(estimate))), all...)
	}
	r.highest = max(r.highest, rec.At)
	r.trace.Records = append(all, rec)
	return nil
}

func (r *reader) finish() (*Trace, error) {
	t := &r.trace
	n := len(t.Records)
	switch {
	case n == 0:
		return nil, errors.New("no records")
	case n == 1 && r.Time != "":
		return nil, errors.New("only one record: want at least two")
	}
	t.zone, t.dated = r.clock.zone, r.clock.dated
	t.Classes = r.classes.all
	for i := range t.Labels {
		t.Labels[i].Texts, t.Labels[i].Where = r.labels[i].all, r.labels[i].where
	}
	if r.earlier.n > 0 {
		t.sort()
		t.disorder = fmt.Sprintf("%v: earlier than the record before, by up to %v: sorted",
			r.earlier, time.Duration(r.earlierBy))
		t.Notes = append(t.Notes, t.disorder)
	}
	if r.simultaneous.n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%v: the same time as the record before", r.simultaneous))
		if !slices.ContainsFunc(t.Records, notWhole) {
			t.Notes = append(t.Notes, "all times are whole seconds: gaps and bursts below a "+
				"second come from the rounding")
		}
	}
	if note := r.counting(); note != "" {
		t.Notes = append(t.Notes, note)
	}
	span := t.Records[n-1].At - t.Records[0].At
	if span > int64(maxSpan) {
		return nil, errors.New("the records span more than ten years")
	}
	longest, at := int64(0), 0
	for i := 1; i < n; i++ {
		if gap := t.Records[i].At - t.Records[i-1].At; gap > longest {
			longest, at = gap, i
		}
	}
	if mean := span / int64(max(1, n-1)); n > 100 && longest/100 > mean {
		t.Notes = append(t.Notes, fmt.Sprintf("record %d: comes after a gap of %v, %d times the "+
			"mean", at+1, time.Duration(longest), longest/max(mean, 1)))
	}
	return t, nil
}

// counting returns a note if the times seem to be line numbers or intervals: consecutive integers,
// or equal gaps in a file with other columns. Otherwise it returns "".
func (r *reader) counting() string {
	all, at := r.trace.Records, r.layout.time.index
	if r.Time == "" || r.End || at >= len(r.trace.Columns) || len(all) < 3 {
		return ""
	}
	const second = int64(time.Second)
	first, gap := all[0].At/second, all[1].At-all[0].At
	for i := range all {
		if all[i].At != all[0].At+int64(i)*gap {
			return ""
		}
	}
	others := named(slices.Delete(slices.Clone(r.trace.Columns), at, at+1))
	if len(others) == 0 {
		return ""
	}
	said := ""
	switch {
	case gap == second && first <= 1:
		said = fmt.Sprintf("%d, %d, %d and so on, as in numbered lines", first, first+1,
			first+2)
	case r.Duration == "" && (gap > second || gap == second && all[0].At > minDate):
		said = fmt.Sprintf("each %v after the one before, as in counts per interval; each line "+
			"is read as one task", time.Duration(gap))
	default:
		return ""
	}
	return fmt.Sprintf("column %d: %s; the others are %s", at+1, said,
		text.List(text.Truncate(others, 4)))
}

// notWhole reports whether neither begin nor end of a record is at a whole second.
func notWhole(r Record) bool {
	const second = int64(time.Second)
	return r.At%second != 0 && (r.At+r.Took())%second != 0
}

func (t *Trace) sort() {
	byTime := func(a, b Record) int { return cmp.Compare(a.At, b.At) }
	if !slices.ContainsFunc(t.Labels[:], func(l Labels) bool { return l.Of != nil }) {
		slices.SortStableFunc(t.Records, byTime)
		return
	}
	order := make([]uint32, len(t.Records))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return byTime(t.Records[a], t.Records[b])
	})
	t.Records = picked(t.Records, order)
	for i := range t.Labels {
		t.Labels[i].Of = picked(t.Labels[i].Of, order)
	}
}

func picked[T any](all []T, order []uint32) (in []T) {
	if all == nil {
		return nil
	}
	in = make([]T, len(order))
	for i, at := range order {
		in[i] = all[at]
	}
	return in
}

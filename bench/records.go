package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/strategies"
)

// recordsVersion is the first byte of encoded records.
const recordsVersion = 1

// The flags of an encoded record; the outcome and the class stand above them.
const (
	heldFlag    = 1 << iota // held
	onceFlag                // one attempt: its number is not written
	leftFlag                // left is known
	outcomeBits = 3         // the shift to the outcome
	classBits   = 6         // the shift to the class
)

// errRecords is about bytes that no AppendBinary has written.
var errRecords = errors.New("these are no records")

// AppendBinary appends the records to b, for UnmarshalBinary: each as its differences from the one
// before and between its own instants, in as few bytes as they take, some 14. It never fails.
func (l *log) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, recordsVersion)
	b = binary.AppendUvarint(b, uint64(l.n))
	due := int64(0)
	for i := range l.n {
		r := l.At(uint64(i))
		flags := uint64(r.outcome)<<outcomeBits | uint64(r.class)<<classBits
		if r.held {
			flags |= heldFlag
		}
		if r.attempts == 1 {
			flags |= onceFlag
		}
		if r.left != 0 {
			flags |= leftFlag
		}
		b = binary.AppendUvarint(b, flags)
		b = binary.AppendVarint(b, r.due-due)
		b = binary.AppendVarint(b, r.issue-r.due)
		if due = r.due; r.left != 0 {
			b = binary.AppendVarint(b, r.left-r.issue)
		}
		if r.attempts != 1 {
			b = binary.AppendUvarint(b, uint64(r.attempts))
		}
		last := r.issue
		if r.attempts > 0 {
			b = binary.AppendVarint(b, r.start-r.issue)
			b = binary.AppendVarint(b, r.busy)
			last = r.start + r.busy
		}
		b = binary.AppendVarint(b, r.end-last)
	}
	return b, nil
}

// leastRecord is the number of bytes that a record takes at least: flags, due, issue and end, and
// two instants or the number of attempts.
const leastRecord = 5

// UnmarshalBinary reads records that AppendBinary has written, in place of those that are there. It
// takes no more memory than a small multiple of the data. What is no possible record is an error:
// others have sent it.
func (l *log) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != recordsVersion {
		return fmt.Errorf("%w of version %d", errRecords, recordsVersion)
	}
	d := decoding{rest: data[1:]}
	n := d.unsigned(uint64(len(data) / leastRecord))
	read := NewRecords(int(n))
	for due := int64(0); n > 0 && !d.bad; n-- {
		due = d.after(due)
		d.record(read.Add(due))
	}
	if d.bad || len(d.rest) > 0 {
		return errRecords
	}
	*l = read
	return nil
}

// decoding is what is left to be read; it is bad from the first thing on that cannot be.
type decoding struct {
	rest  []byte
	flags uint64 // of the record at hand
	bad   bool
}

// record reads what follows its due time.
func (d *decoding) record(r *record) {
	flags := d.flags
	r.held, r.outcome = flags&heldFlag != 0, outcome(flags>>outcomeBits&7)
	r.class = strategies.Class(flags >> classBits)
	r.issue = d.signed(r.due)
	if flags&leftFlag != 0 {
		r.left = d.signed(r.issue)
	}
	if r.attempts = 1; flags&onceFlag == 0 {
		r.attempts = uint32(d.unsigned(math.MaxUint32))
	}
	last := r.issue
	if r.attempts > 0 {
		r.start = d.signed(r.issue)
		r.busy = d.signed(0)
		last = r.start + r.busy
	}
	r.end = d.signed(last)
	d.bad = d.bad || r.outcome > abandoned || flags>>classBits > uint64(strategies.IO)
}

// after reads the flags of the next record and its due time, which is not before that one.
func (d *decoding) after(due int64) int64 {
	d.flags = d.unsigned(math.MaxUint16)
	next := d.signed(due)
	d.bad = d.bad || next < due
	return next
}

// unsigned reads a number up to most.
func (d *decoding) unsigned(most uint64) uint64 {
	v, size := binary.Uvarint(d.rest)
	if size <= 0 || v > most {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return v
}

// mostInstant bounds instants: sums of two of them are far from the end of an int64.
const mostInstant = math.MaxInt64 / 4

// signed reads a difference and returns the instant that it leads to, which no run is before.
func (d *decoding) signed(from int64) int64 {
	v, size := binary.Varint(d.rest)
	if size <= 0 || v < -mostInstant || v > mostInstant {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	if from += v; from < 0 || from > mostInstant {
		d.bad = true
		return 0
	}
	return from
}

// PeakOf is the most requests of all the records that were in flight at one instant: from the start
// of each to the end of its attempt or, where it was tried again, to when it was settled, so that
// it is an upper bound where there are such. One that ends as another starts makes room for it.
func PeakOf(records []Records) (peak int64) {
	var starts, ends []int64
	for _, l := range records {
		for i := range l.n {
			r := l.At(uint64(i))
			switch {
			case r.attempts == 1 && r.busy > 0:
				starts, ends = append(starts, r.start), append(ends, r.start+r.busy)
			case r.attempts > 1 && r.end > r.start:
				starts, ends = append(starts, r.start), append(ends, r.end)
			}
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	over := 0
	for begun, at := range starts {
		for ends[over] <= at {
			over++
		}
		peak = max(peak, int64(begun+1-over))
	}
	return peak
}

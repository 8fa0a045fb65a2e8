package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/poolbench/poolbench/strategies"
)

const recordsVersion = 1

// The bits above the flags contain the outcome and the class.
const (
	blockedFlag = 1 << iota
	onceFlag    // one attempt, so the number is omitted
	leftFlag    // Left is known
	outcomeBits = 3
	classBits   = 6
)

var errRecords = errors.New("the data are not encoded records")

// AppendBinary appends the records to b, in about 14 bytes each, as differences of times. It never
// fails.
func (l *Log) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, recordsVersion)
	b = binary.AppendUvarint(b, uint64(l.n))
	due := int64(0)
	for i := range l.n {
		r := l.At(uint64(i))
		flags := uint64(r.Outcome)<<outcomeBits | uint64(r.Class)<<classBits
		if r.Blocked {
			flags |= blockedFlag
		}
		if r.Attempts == 1 {
			flags |= onceFlag
		}
		if r.Left != 0 {
			flags |= leftFlag
		}
		b = binary.AppendUvarint(b, flags)
		b = binary.AppendVarint(b, r.Due-due)
		b = binary.AppendVarint(b, r.Issue-r.Due)
		if due = r.Due; r.Left != 0 {
			b = binary.AppendVarint(b, r.Left-r.Issue)
		}
		if r.Attempts != 1 {
			b = binary.AppendUvarint(b, uint64(r.Attempts))
		}
		last := r.Issue
		if r.Attempts > 0 {
			b = binary.AppendVarint(b, r.Start-r.Issue)
			b = binary.AppendVarint(b, r.Busy)
			last = r.Start + r.Busy
		}
		b = binary.AppendVarint(b, r.End-last)
	}
	return b, nil
}

// minRecord is in bytes.
const minRecord = 5

// UnmarshalBinary replaces the records with those of AppendBinary. The data is untrusted, so it
// allocates at most a small multiple of the data.
func (l *Log) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != recordsVersion {
		return fmt.Errorf("%w of version %d", errRecords, recordsVersion)
	}
	d := decoding{rest: data[1:]}
	n := d.unsigned(uint64(len(data) / minRecord))
	read := New(int(n))
	for due := int64(0); n > 0 && !d.bad; n-- {
		due = d.nextDue(due)
		d.record(read.Add(due))
	}
	if d.bad || len(d.rest) > 0 {
		return errRecords
	}
	*l = read
	return nil
}

// bad is set at the first invalid value.
type decoding struct {
	rest  []byte
	flags uint64 // of the current record
	bad   bool
}

func (d *decoding) record(r *Record) {
	flags := d.flags
	r.Blocked, r.Outcome = flags&blockedFlag != 0, Outcome(flags>>outcomeBits&7)
	r.Class = strategies.Class(flags >> classBits)
	r.Issue = d.signed(r.Due)
	if flags&leftFlag != 0 {
		r.Left = d.signed(r.Issue)
	}
	if r.Attempts = 1; flags&onceFlag == 0 {
		r.Attempts = uint32(d.unsigned(math.MaxUint32))
	}
	last := r.Issue
	if r.Attempts > 0 {
		r.Start = d.signed(r.Issue)
		r.Busy = d.signed(0)
		last = r.Start + r.Busy
	}
	r.End = d.signed(last)
	d.bad = d.bad || r.Outcome > GaveUp || flags>>classBits > uint64(strategies.IO)
}

func (d *decoding) nextDue(due int64) int64 {
	d.flags = d.unsigned(math.MaxUint16)
	next := d.signed(due)
	d.bad = d.bad || next < due
	return next
}

func (d *decoding) unsigned(most uint64) uint64 {
	v, size := binary.Uvarint(d.rest)
	if size <= 0 || v > most {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return v
}

// maxInstant bounds times, so the sum of two cannot overflow an int64.
const maxInstant = math.MaxInt64 / 4

func (d *decoding) signed(from int64) int64 {
	v, size := binary.Varint(d.rest)
	if size <= 0 || v < -maxInstant || v > maxInstant {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	if from += v; from < 0 || from > maxInstant {
		d.bad = true
		return 0
	}
	return from
}

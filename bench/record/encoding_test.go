package record_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
)

func someRecords(n int, seed uint64) record.Log {
	random := rand.New(rand.NewPCG(seed, 1))
	log := record.New(n)
	due := int64(0)
	for i := range n {
		due += random.Int64N(int64(2 * time.Millisecond))
		r := log.Add(due)
		r.Blocked = i%7 == 0
		issue := due + random.Int64N(int64(100*time.Microsecond))
		r.Issue = issue
		if i%11 == 10 {
			r.Settle(record.Abandoned, issue+5)
			continue
		}
		start, busy := issue+random.Int64N(50_000), 1+random.Int64N(int64(3*time.Millisecond))
		r.Attempt(start, busy)
		end := start + busy + random.Int64N(1000)
		if i%13 == 12 {
			r.Attempt(end+1000, busy)
			end += 1000 + busy
		}
		r.Settle(record.Completed+record.Outcome(i%4), end)
	}
	return log
}

func TestRecordsEncoding(t *testing.T) {
	for _, n := range []int{0, 1, 10_000} {
		was := someRecords(n, 1)
		data, err := was.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var is record.Log
		if err := is.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if is.Len() != n {
			t.Fatalf("%d records are %d", n, is.Len())
		}
		for i := range uint64(n) {
			if *was.At(i) != *is.At(i) {
				t.Fatalf("record %d was %+v and is %+v", i, *was.At(i), *is.At(i))
			}
		}
		if n > 1 && len(data) > 20*n {
			t.Errorf("%d records take %d bytes", n, len(data))
		}
		for cut := range min(len(data), 200) {
			if err := is.UnmarshalBinary(data[:cut]); err == nil {
				t.Errorf("the first %d bytes of %d are read as records", cut, len(data))
			}
		}
		if err := is.UnmarshalBinary(append(data, 0)); err == nil {
			t.Error("a byte too many is not noticed")
		}
	}
}

// Malformed input must not cause unbounded allocation.
func FuzzRecords(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		l := someRecords(n, 2)
		data, err := l.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		var l record.Log
		if l.UnmarshalBinary(data) != nil {
			return
		}
		if l.Len() > len(data) {
			t.Fatalf("%d bytes are %d records", len(data), l.Len())
		}
		again, err := l.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var same record.Log
		if err := same.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		twice, _ := same.AppendBinary(nil)
		if !bytes.Equal(again, twice) {
			t.Fatal("what was read is written in two ways")
		}
		if peak := record.PeakOf([]record.Log{l}); peak > int64(l.Len()) {
			t.Fatalf("%d of %d in flight", peak, l.Len())
		}
		rec := bench.Recording{Name: "Attack/x=y", Arrival: arrivals.MustParse("poisson"), Rate: 1,
			Records: []record.Log{l}}
		if r, err := rec.Result(); err == nil && r.Tasks != l.Len() {
			t.Fatalf("%d tasks of %d", r.Tasks, l.Len())
		}
	})
}

func TestPeakOf(t *testing.T) {
	var a, b record.Log
	for _, at := range []struct {
		of          *record.Log
		start, busy int64
	}{{&a, 0, 10}, {&a, 5, 10}, {&b, 9, 2}, {&b, 15, 1}} {
		r := at.of.Add(at.start)
		r.Attempt(at.start, at.busy)
		r.Settle(record.Completed, at.start+at.busy)
	}
	if got := record.PeakOf([]record.Log{a, b}); got != 3 {
		t.Errorf("%d in flight at once, want 3", got)
	}
}

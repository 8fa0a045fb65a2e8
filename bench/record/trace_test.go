package record

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// A generator that oversleeps is late until it has caught up. One that Submit blocks is not late.
func TestLag(t *testing.T) {
	for _, test := range []struct {
		name   string
		submit int64 // duration of Submit of the second task, in ms; the others take 4 ms
		sleep  int64 // time by which the generator oversleeps before it, in ms
		want   []int64
	}{ // tasks are due every 10 ms
		{"punctual", 4, 0, []int64{0, 0, 0, 0, 0, 0, 0}},
		{"blocked", 34, 0, []int64{0, 0, 0, 0, 0, 0, 0}},
		{"overslept", 4, 25, []int64{0, 25, 19, 13, 7, 1, 0}},
		{"overslept, then blocked", 34, 5, []int64{0, 5, 5, 5, 5, 5, 5}},
	} {
		var l Log
		returned := int64(-1)
		for i := range int64(len(test.want)) {
			due, submit := 10*i, int64(4)
			issue := max(due, returned)
			if i == 1 {
				issue, submit = issue+test.sleep, test.submit
			}
			r := l.Add(due)
			r.Issue, r.Blocked = issue, returned >= due
			returned = issue + submit
		}
		for i, got := range NewTrace([]Log{l}).Lags() {
			if got != test.want[i] {
				t.Errorf("%s: task %d has a lag of %d ms, want %d", test.name, i, got, test.want[i])
			}
		}
	}
}

// A recorded task uses its record, plus 4 bytes of order if there are several logs.
func TestMemory(t *testing.T) {
	if size := unsafe.Sizeof(Record{}); size+4 > 72 {
		t.Errorf("a record has %d bytes, and 4 of order: want at most 72", size)
	}
}

func TestTraceOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := make([]Log, rapid.IntRange(2, 6).Draw(t, "clients"))
		want := map[int64]int{}
		for c := range logs {
			due := int64(0)
			for range rapid.IntRange(0, 3*(1<<chunkBits)/2).Draw(t, "tasks") {
				due += int64(c + 1)
				logs[c].Add(due)
				want[due]++
			}
		}
		tr := NewTrace(logs)
		last := int64(0)
		for i := range tr.Len() {
			due := tr.At(i).Due
			if due < last {
				t.Fatalf("record %d is due at %d, the one before at %d", i, due, last)
			}
			last = due
			want[due]--
		}
		for due, n := range want {
			if n != 0 {
				t.Fatalf("%d records due at %d are missing", n, due)
			}
		}
	})
}

func TestFrom(t *testing.T) {
	const n = 2<<chunkBits + 3
	one, odd, even := New(0), New(0), New(0)
	for i := range int64(n) {
		one.Add(i)
		if i%2 == 0 {
			even.Add(i)
		} else {
			odd.Add(i)
		}
	}
	for _, trace := range []*Trace{NewTrace([]Log{one}), NewTrace([]Log{odd, even})} {
		for _, first := range []int{0, 7, 1 << chunkBits, n - 1, n} {
			want := first
			for i, r := range trace.From(first) {
				if i != want || r != trace.At(i) || r.Due != int64(i) {
					t.Fatalf("from %d: task %d is due at %d, want task %d", first, i, r.Due, want)
				}
				want++
			}
			if want != n {
				t.Errorf("from %d: it ends at %d, want %d", first, want, n)
			}
		}
		for i := range trace.From(1) {
			if i > 2 {
				t.Fatal("it goes on after the break")
			}
			if i == 2 {
				break
			}
		}
	}
}

package soaks

import "github.com/poolbench/poolbench/bench/record"

// An Entry holds the record of a request until it is settled.
type Entry struct {
	*record.Record
	belt  *Belt // nil outside of a soak
	chunk *Chunk
}

// Entry returns the Entry of the record that Next returned last.
func (b *Belt) Entry(r *record.Record) Entry {
	return Entry{Record: r, belt: b, chunk: b.Last}
}

// Release returns the record to the soak. The caller must not write to it afterwards.
func (e Entry) Release() {
	if e.belt != nil {
		e.belt.Settle(e.chunk, 1)
	}
}

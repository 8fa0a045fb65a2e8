package soaks

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/poolbench/poolbench/bench/record"
)

// slack is how long an order holds a record back. A step that is due when the one before has ended
// is known a moment later, when others have their records that are due after it; what comes later
// than that is folded where it comes.
const slack = int64(time.Second)

// An order puts records in the order of their due times that come nearly so: those of tasks that
// follow from others. It has copies of them.
type order struct{ held []record.Record }

// pass takes the next records, and passes on what none to come is due before.
func (o *order) pass(more []record.Record, to func(*record.Record)) {
	o.held = append(o.held, more...)
	slices.SortStableFunc(o.held, func(a, b record.Record) int {
		return cmp.Compare(a.Due, b.Due)
	})
	if last := len(o.held) - 1; last >= 0 {
		o.release(o.held[last].Due-slack, to)
	}
}

// release passes on what is due until then.
func (o *order) release(until int64, to func(*record.Record)) {
	n := sort.Search(len(o.held), func(i int) bool { return o.held[i].Due > until })
	for i := range o.held[:n] {
		to(&o.held[i])
	}
	o.held = slices.Delete(o.held, 0, n)
}

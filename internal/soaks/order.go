package soaks

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/poolbench/poolbench/bench/record"
)

// slack is how long an order holds back a record. A step that is due when the one before has ended
// becomes known slightly later, when others already have records that are due after it. Later
// records are folded out of order.
const slack = int64(time.Second)

// An order sorts copies of records that come nearly in the order of their due times, of tasks that
// follow from others.
type order struct{ held []record.Record }

// pass adds the next records, and passes on the records before which no future one is due.
func (o *order) pass(more []record.Record, to func(*record.Record)) {
	o.held = append(o.held, more...)
	slices.SortStableFunc(o.held, func(a, b record.Record) int {
		return cmp.Compare(a.Due, b.Due)
	})
	if last := len(o.held) - 1; last >= 0 {
		o.release(o.held[last].Due-slack, to)
	}
}

func (o *order) release(until int64, to func(*record.Record)) {
	n := sort.Search(len(o.held), func(i int) bool { return o.held[i].Due > until })
	for i := range o.held[:n] {
		to(&o.held[i])
	}
	o.held = slices.Delete(o.held, 0, n)
}

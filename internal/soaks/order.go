package soaks

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/poolbench/poolbench/bench/record"
)

// A record is held back for slack, because a step that is due when its predecessor ends becomes
// known slightly later than its due time. A later record is folded out of order.
const slack = int64(time.Second)

// order sorts copies of the records of tasks that depend on others.
type order struct{ held []record.Record }

// pass passes on all records that are due at least slack before the last one.
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

package advise

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/bench"
)

// Slots is how many slots the option's queue has; ok is false where it has no queue of its own, or
// needs none: the caller waits.
func (o Option) Slots() (slots int, ok bool) {
	if !o.Strategy.Spec.UsesQueue || o.Queue == 0 && !o.Strategy.Spec.Sheds {
		return 0, false
	}
	return bench.QueueSlots(o.Strategy.Spec, o.Queue, o.Limit, 0), true
}

// Code is the Go to write for the option: the idiom where there is one in plain Go, else what makes
// the strategy by its name, with a ctx and a sink of strategies.Sink.
func (o Option) Code() string {
	slots, _ := o.Slots()
	p := params(o.Strategy, o.Limit, slots)
	if idiom := o.Strategy.Spec.Go; idiom != nil {
		return idiom(p)
	}
	fields := []string{fmt.Sprintf("Limit: %d", o.Limit)}
	if slots > 0 {
		fields = append(fields, fmt.Sprintf("Queue: %d", slots))
	}
	switch {
	case o.Strategy.Values.Open() != "" && o.Rate > 0: // nobody knows the target there
		fields = append(fields, fmt.Sprintf("Values: v.Values.Settle(\"target\", %v)", o.Rate))
	case o.Strategy.String() != o.Strategy.Spec.Name:
		fields = append(fields, "Values: v.Values")
	}
	return fmt.Sprintf("v := strategies.MustParse(%q)\np := strategies.Params{%s}\n"+
		"pool, err := v.Spec.Start(ctx, p, sink)", o.Strategy, strings.Join(fields, ", "))
}

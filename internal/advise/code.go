package advise

import (
	"fmt"
	"strings"
)

// Slots returns ok false if the option has no queue of its own, or if callers wait instead.
func (o Option) Slots() (slots int, ok bool) {
	if !o.Strategy.Spec.UsesQueue || o.Queue == 0 && !o.Strategy.Spec.Sheds {
		return 0, false
	}
	return o.Strategy.Spec.QueueSlots(o.Queue, o.Limit, 0), true
}

// Code returns the code in plain Go if there is one. Otherwise it constructs the strategy by name,
// with a ctx and a sink of strategies.Sink.
func (o Option) Code() string {
	slots, _ := o.Slots()
	p := params(o.Strategy, o.Limit, slots)
	if idiom := o.Strategy.Spec.Go; idiom != nil {
		if o.Rate > 0 { // the code has no target
			p.Values = p.Values.Settle("target", o.Rate)
		}
		return idiom(p)
	}
	fields := []string{fmt.Sprintf("Limit: %d", o.Limit)}
	if slots > 0 {
		fields = append(fields, fmt.Sprintf("Queue: %d", slots))
	}
	switch {
	case o.Strategy.Values.Open() != "" && o.Rate > 0:
		fields = append(fields, fmt.Sprintf("Values: v.Values.Settle(\"target\", %v)", o.Rate))
	case o.Strategy.String() != o.Strategy.Spec.Name:
		fields = append(fields, "Values: v.Values")
	}
	return fmt.Sprintf("v := strategies.MustParse(%q)\np := strategies.Params{%s}\n"+
		"pool, err := v.Spec.Start(ctx, p, sink)", o.Strategy, strings.Join(fields, ", "))
}

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

// paced returns the plain Go code of a strategy that limits only the rate of starts and the number
// of running tasks. One goroutine executes it for each task, so it needs no queue.
func (o Option) paced() string {
	burst := 1 // a Ticker keeps one tick
	switch o.Strategy.String()[:len(o.Strategy.Spec.Name)] {
	case "token_bucket":
		burst = o.Strategy.Values.Int("burst")
	case "ticker_limited":
	default:
		return ""
	}
	if o.Strategy.Spec.Base != "" || o.Rate == 0 {
		return ""
	}
	return fmt.Sprintf("limiter := rate.NewLimiter(%v, %d) // golang.org/x/time/rate\n"+
		"group.SetLimit(%d) // golang.org/x/sync/errgroup\n"+
		"if err := limiter.Wait(ctx); err == nil { group.Go(task) }", o.Rate, burst, o.Limit)
}

// Code returns the code in plain Go if there is one. Otherwise it constructs the strategy by name,
// with a ctx and a sink of strategies.Sink.
func (o Option) Code() string {
	slots, _ := o.Slots()
	p := params(o.Strategy, o.Limit, slots)
	if idiom := o.Strategy.Spec.Go; idiom != nil {
		return idiom(p)
	}
	if code := o.paced(); code != "" {
		return code
	}
	fields := []string{fmt.Sprintf("Limit: %d", o.Limit)}
	if slots > 0 {
		fields = append(fields, fmt.Sprintf("Queue: %d", slots))
	}
	switch {
	case o.Strategy.Values.Open() != "" && o.Rate > 0: // the code has no target
		fields = append(fields, fmt.Sprintf("Values: v.Values.Settle(\"target\", %v)", o.Rate))
	case o.Strategy.String() != o.Strategy.Spec.Name:
		fields = append(fields, "Values: v.Values")
	}
	return fmt.Sprintf("v := strategies.MustParse(%q)\np := strategies.Params{%s}\n"+
		"pool, err := v.Spec.Start(ctx, p, sink)", o.Strategy, strings.Join(fields, ", "))
}

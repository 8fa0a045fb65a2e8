package bench

import "fmt"

// keepers are the packages whose goroutines outlive a task without a fault of the strategy: a
// client keeps its connections open for the next call.
var keepers = []string{"net/http", "database/sql"}

// brokenLaws checks what holds on every run of every correct strategy, and says each violation in
// words with its numbers.
func (o *observation) brokenLaws(f flow, oracle replay) (broken []string) {
	law := func(holds bool, format string, a ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, a...))
		}
	}
	settled := f.offered - f.outcomes[unsettled]
	law(f.outcomes[unsettled] == 0, "conservation: %d of %d offered tasks were never settled",
		f.outcomes[unsettled], f.offered)
	law(o.settledTwice == 0, "conservation: %d tasks were settled twice (%d settled of %d offered)",
		o.settledTwice, settled, f.offered)
	law(f.again == 0 || o.scenario.Strategy.Spec.Retries, "once: %d tasks ran more than once",
		f.again)
	law(f.unrun == 0, "once: %d tasks were done without an error, and never run", f.unrun)
	broken = append(broken, o.misdeeds...)
	if left := o.left.Foreign().NotOf(keepers...); len(left) > 0 {
		law(false, "drain: goroutines left after Drain: %d, at %s", left.Goroutines(), left.Brief())
	}
	if bound := o.bound(); bound > 0 {
		law(o.peak <= int64(bound), "bound: %d tasks were in flight at once, the limit is %d",
			o.peak, bound)
		law(float64(f.busy) <= float64(bound)*float64(f.makespan),
			"utilisation law: %d ns of service in %d ns of %d slots", f.busy, f.makespan, bound)
	}
	law(f.busy == o.service,
		"utilisation law: the records hold %d ns of service, the attempts counted %d ns",
		f.busy, o.service)
	law(f.negative == 0, "response ≥ service ≥ 0: %d tasks started before they were due, ended "+
		"before they started, or served longer than they were there", f.negative)
	if f.negative == 0 && f.outcomes[unsettled] == 0 {
		law(f.area == f.responses, "Little's law: ∫N(t)dt = %v, Σ response = %v",
			f.area, f.responses)
	}
	if oracle.done && o.scenario.Clock == Virtual {
		law(oracle.maxDiff == 0, "oracle: under the virtual clock a start differs from the "+
			"Kiefer–Wolfowitz recursion by %d ns (task %d)", oracle.maxDiff, oracle.worst)
	}
	return broken
}

package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// stopped returns the mean lateness, in seconds, due to the longest stop of the process. Tasks due
// during the stop are late by half of it on average.
func (v *view) stopped() float64 {
	stop, run := v.valueOrZero(metric.MaxHiccup), v.cell[0]
	for _, d := range run.Doubts {
		if d.Check() == rundir.CheckPause && run.Iters > 0 {
			return v.valueOrZero(metric.Throughput) * stop * stop / 2 / float64(run.Iters)
		}
	}
	return 0
}

var generator = rule{
	name:    "generator",
	meaning: "the load generator was late, not the strategy",
	cure:    "measure again",
	evidence: func(v *view) string {
		said := "the generator was late" +
			v.clause(" by %s on average", metric.MeanLag, text.Seconds)
		if p99 := v.valueOrZero(metric.P99Lag); p99 > 0 {
			said += fmt.Sprintf(", with a p99 of %s", text.Seconds(p99))
		}
		return said + ", although no other thread used its processor"
	},
	remedy: func(*view) string { return "measure again: the strategy is not the cause" },
}

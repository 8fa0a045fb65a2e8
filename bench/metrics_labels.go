package bench

import (
	"fmt"

	"github.com/poolbench/poolbench/workloads"
)

// ofLabels are the metrics of what tasks say of themselves: priority, tenant, deadline. Of a soak
// others-p99 is told where the noisy tenant is one of those with results of their own; and of one
// that was cut off and went on, what is of some of the tasks is left out.
func ofLabels() (m []MetricInfo) {
	own := fmt.Sprintf(" that tasks have; those numbered 0 to %d have results of their own",
		workloads.MostLabels-1)
	m = append(m, MetricInfo{"priorities", "", "how many priorities there are" + own})
	for i := range workloads.MostLabels {
		of := fmt.Sprintf("priority-%d-", workloads.MostLabels-1-i)
		m = append(m, MetricInfo{of + "mean-wait-sec", "lower",
			"mean wait of the tasks of this priority, where the workload has several"},
			MetricInfo{of + "mean-response-sec", "lower", "their mean response"},
			MetricInfo{of + "p99-response-sec", "lower", "p99 of their response"})
	}
	m = append(m, MetricInfo{"tenants", "", "how many tenants there are" + own})
	for i := range workloads.MostLabels {
		of := fmt.Sprintf("tenant-%d-", i)
		m = append(m, MetricInfo{of + "mean-response-sec", "lower",
			"mean response of this tenant's tasks, where the workload has tenants"},
			MetricInfo{of + "p99-response-sec", "lower", "p99 of their response"})
	}
	for i := range workloads.MostLabels {
		m = append(m, MetricInfo{fmt.Sprintf("theory-priority-%d-mean-wait-sec",
			workloads.MostLabels-1-i), "", "exact mean wait of the tasks of this priority"})
	}
	return append(m, []MetricInfo{
		{"fairness", "higher", "Jain's index of the tenants' speeds, a speed being the inverse of " +
			"a tenant's mean response: 1 if all are served alike, 1/n if one of n alone is"},
		{"noisy-share", "", "share of the time in slots, until the last task is due, that the " +
			"tenant with the most tasks had"},
		{"others-mean-response-sec", "lower", "mean response of the tasks of all other tenants"},
		{"others-p99-response-sec", "lower", "p99 of their response"},
		{"missed/op", "lower", "share of tasks with a deadline that were not completed by it"},
		{"max-lateness-sec", "lower",
			"how long after its deadline the latest was completed; negative: all were early"},
	}...)
}

package observe

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/workloads"
)

// A soak reports others-p99 only if the noisy tenant has metrics of its own. A resumed soak omits
// metrics of single priorities and tenants.
func ofLabels() (m []MetricInfo) {
	own := fmt.Sprintf(" that tasks have; those numbered 0 to %d have results of their own",
		workloads.MaxLabels-1)
	m = append(m, MetricInfo{metric.Priorities, "", "number of priorities" + own})
	for i := range workloads.MaxLabels {
		of := metric.OfPriority(workloads.MaxLabels-1-i, "")
		m = append(m, MetricInfo{of + metric.MeanWait, "lower",
			"mean wait of the tasks of this priority, if there are several"},
			MetricInfo{of + metric.MeanResponse, "lower", "their mean response"},
			MetricInfo{of + metric.P99Response, "lower", "p99 of their response"})
	}
	m = append(m, MetricInfo{metric.Tenants, "", "number of tenants" + own})
	for i := range workloads.MaxLabels {
		of := metric.OfTenant(i, "")
		m = append(m, MetricInfo{of + metric.MeanResponse, "lower",
			"mean response of this tenant's tasks, if there are tenants"},
			MetricInfo{of + metric.P99Response, "lower", "p99 of their response"},
			MetricInfo{of + metric.Throughput, "higher", "this tenant's throughput: tasks completed per " +
				"second from the end of the warm-up until the last task is due"},
			MetricInfo{of + metric.Share, "", "this tenant's share of the time that tasks spent in " +
				"slots, in the same window"})
	}
	for i := range workloads.MaxLabels {
		m = append(m, MetricInfo{metric.Theory(metric.OfPriority(
			workloads.MaxLabels-1-i, metric.MeanWait)), "", "exact mean wait of the tasks of this priority"})
	}
	return append(m, []MetricInfo{
		{metric.Fairness, "higher", "Jain's index of each tenant's time in slots, relative to its " +
			"max–min fair share (by the strategy's weights where it has weights), from the end " +
			"of the warm-up until the last task is due: 1 if every tenant received its fair share"},
		{metric.NoisyShare, "", "share of the time in slots, from the end of the warm-up until the " +
			"last task is due, that the tenant with the most tasks had"},
		{metric.OthersMeanResponse, "lower", "mean response of the tasks of all other tenants"},
		{metric.OthersP99Response, "lower", "p99 of their response"},
		{metric.OthersThroughput, "higher", "their throughput in the window of noisy-share"},
		{metric.OthersShare, "", "their share of the time in slots in that window"},
		{metric.Missed, "lower", "share of tasks with a deadline that were not completed by it"},
		{metric.MaxLateness, "lower",
			"largest lateness of a completed task after its deadline; negative if all were early"},
	}...)
}

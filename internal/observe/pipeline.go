package observe

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/strategies"
)

func (o *Run) Stages() []strategies.Stage {
	if o.Plan.Strategy.Stages == nil {
		return nil
	}
	return o.Plan.Strategy.Stages(o.Plan.Params)
}

func (o *Run) ReportPipeline(r *result.Result, makespan int64) {
	stages := o.Stages()
	if len(stages) != len(o.StageBusy) || makespan == 0 {
		return
	}
	busiest, most := 0, -1.0
	for i, s := range stages {
		busy := int64(o.StageBusy[i])
		if s.Work() {
			busy = o.Service
		}
		use := float64(busy) / (float64(s.Workers) * float64(makespan))
		r.Add(metric.OfPipeline(i+1), use)
		if use > most {
			busiest, most = i+1, use
		}
	}
	if busiest > 0 {
		r.Add(metric.Bottleneck, float64(busiest))
		r.Add(metric.BottleneckUse, most)
	}
}

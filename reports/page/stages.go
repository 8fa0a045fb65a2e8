package page

import "github.com/poolbench/poolbench/reports/results"

func stageEnds(arrival string) (ends []float64) {
	stages := results.Stages(arrival)
	for i := 1; i < len(stages); i++ {
		ends = append(ends, stages[i].Begin.Seconds())
	}
	return ends
}

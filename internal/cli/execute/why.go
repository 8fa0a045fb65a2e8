package execute

import (
	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

// JSON cannot represent NaN and infinities.
func Values(metrics []result.Metric) map[string]float64 {
	values := map[string]float64{}
	for _, m := range metrics {
		if text.JSONNumber(m.Value) != nil {
			values[m.Unit] = m.Value
		}
	}
	return values
}

func causes(r *bench.Result) []string {
	run := &results.Run{Name: r.Name, Keys: results.NameKeys([]byte(r.Name)), Iters: r.Tasks,
		Values: Values(r.Metrics)}
	for _, reason := range r.Reasons {
		run.Doubts = append(run.Doubts, results.Doubt{Text: reason.String()})
	}
	for _, m := range r.Uncertain {
		if run.Uncertain == nil {
			run.Uncertain = map[string]float64{}
		}
		run.Uncertain[m.Unit] = m.Value
	}
	machine := r.Machine
	if machine == nil {
		machine = directory.Machine()
	}
	for _, c := range machine {
		run.Config = append(run.Config, results.Pair{Key: c.Key, Value: string(c.Value)})
	}
	a, _ := why.Explain(results.Cell{run}) // on an error there are no causes
	return text.Texts(a.Causes, why.Cause.String)
}

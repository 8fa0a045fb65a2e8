//go:build !js

package arrivals

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// The workload of that name uses the same part of the file, so tasks with equal numbers correspond.
var _ = register(Spec{
	Name: "trace",
	Summary: "arrivals recorded in a file: CSV, TSV, JSON lines or an access log; the run has as " +
		"many tasks",
	Unsteady: true,
	Keys: append([]param.Key{
		{Name: "file", Kind: param.Text, Doc: "file with one task per line, also compressed with " +
			"gzip"},
		{Name: "column", Kind: param.Text, Default: "1", Doc: "column of the times: a number, a " +
			"name in the first line, or a key of JSON lines"},
		{Name: "duration", Kind: param.Text, Default: traces.NoColumn,
			Doc: "column of the durations, if the times are the ends of tasks"},
	}, traces.Keys()...),
	FixedRate: func(param.Values) bool { return true },
	Tasks: func(v param.Values) int {
		p, err := tracePlan(v)
		if err != nil {
			return 0 // Open reports the error
		}
		return p.Tasks()
	},
	Doubt: func(v param.Values) string {
		p, err := tracePlan(v)
		if err != nil || v.Choice("at") == "end" { // tasks that end later may begin earlier
			return ""
		}
		return p.Disorder()
	},
	Open: func(_ float64, seed uint64, v param.Values) (Next, error) {
		p, err := tracePlan(v)
		if err != nil {
			return nil, err
		}
		records := p.Records(seed)
		return func() time.Duration {
			if len(records) == 0 {
				return math.MaxInt64
			}
			due := p.Due(records[0])
			records = records[1:]
			return due
		}, nil
	},
})

func tracePlan(v param.Values) (*traces.Plan, error) {
	return traces.Open(v, v.Text("file"), v.Text("column"), v.Text("duration"), traces.NoColumn,
		[traces.MaxLabels]string{})
}

package compare

import (
	"slices"

	"github.com/poolbench/poolbench/reports/results"
)

// losses are the ways to lose a task.
var losses = []string{"shed/op", "throttled/op", "failed/op", "abandoned/op"}

// ours reports whether the inputs are results of poolbench, as written by it or by go test: of
// other benchmarks nobody knows by which metrics one decides.
func ours(inputs []results.Input) bool {
	return !slices.ContainsFunc(inputs, func(in results.Input) bool {
		return in.Results.Schema == 0 && !slices.Contains(in.Results.Metrics, "mean-response-sec")
	})
}

// deciding are the metrics by which a person decides, of those that there are; where there are none
// of them, all.
func deciding(metrics []string, inputs []results.Input) []string {
	done := "ops/s"
	for _, in := range inputs {
		for i := range in.Results.Runs {
			// one deadline, and what came too late does not count
			r := &in.Results.Runs[i]
			if v, ok := r.Value("goodput-ops/s"); ok && v != r.Values["ops/s"] {
				done = "goodput-ops/s"
			}
		}
	}
	chosen := append([]string{done, "mean-response-sec", "p50-response-sec", "p99-response-sec",
		"mean-wait-sec"}, losses...)
	chosen = slices.DeleteFunc(chosen, func(unit string) bool {
		return !slices.Contains(metrics, unit)
	})
	if len(chosen) == 0 {
		return metrics
	}
	return chosen
}

// apartFrom are the keys that tell two inputs apart which have no benchmark in common: all runs of
// each have one value, and not that of the other. Without those keys they may have: the same
// strategies before and after a change of the workload.
func apartFrom(inputs []results.Input, opts Options) (keys []results.Pair) {
	if len(inputs) != 2 || opts.Row != "" || opts.Col != "" || opts.Table != "" ||
		opts.Ignore != "" {
		return nil
	}
	a, b := inputs[0].Results.Runs, inputs[1].Results.Runs
	names := map[string]bool{}
	for i := range a {
		names[a[i].Name] = true
	}
	if slices.ContainsFunc(b, func(r results.Run) bool { return names[r.Name] }) {
		return nil
	}
	alone := func(runs []results.Run, key string) bool {
		return !slices.ContainsFunc(runs, func(r results.Run) bool {
			return r.Key(key) != runs[0].Key(key)
		})
	}
	for _, p := range slices.Concat(a[0].Keys, b[0].Keys) {
		if a[0].Key(p.Key) != b[0].Key(p.Key) && alone(a, p.Key) && alone(b, p.Key) &&
			!slices.ContainsFunc(keys, func(k results.Pair) bool { return k.Key == p.Key }) {
			keys = append(keys, p)
		}
	}
	return keys
}

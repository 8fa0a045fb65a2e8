package compare

import (
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/results"
)

var losses = []string{metric.Shed, metric.Throttled, metric.Failed, metric.Abandoned,
	metric.GaveUp}

func fromPoolbench(inputs []results.Input) bool {
	return !slices.ContainsFunc(inputs, func(in results.Input) bool {
		return in.Results.Schema == 0 && !slices.Contains(in.Results.Metrics, metric.MeanResponse)
	})
}

// deciding returns throughput, response, wait and losses, or all metrics if the inputs have none of
// these.
func deciding(metrics []string, inputs []results.Input) []string {
	done := metric.Throughput
	for _, in := range inputs {
		for i := range in.Results.Runs {
			// tasks after the deadline do not count
			r := &in.Results.Runs[i]
			if v, ok := r.Value(metric.Goodput); ok && v != r.Values[metric.Throughput] {
				done = metric.Goodput
			}
		}
	}
	chosen := append([]string{done, metric.MeanResponse, metric.P50Response, metric.P99Response,
		metric.MeanWait}, losses...)
	chosen = slices.DeleteFunc(chosen, func(unit string) bool {
		return !slices.Contains(metrics, unit)
	})
	if len(chosen) == 0 {
		return metrics
	}
	return chosen
}

// The arrivals per second depend on the rate or, with a load, on the capacity.
func offersDiffer(distinguishing []results.Pair, inputs []results.Input) bool {
	relative := inputs[0].Results.Runs[0].Key("load") != ""
	return slices.ContainsFunc(distinguishing, func(p results.Pair) bool {
		switch p.Key {
		case "load", "rate", "arrival":
			return true
		}
		return relative && (p.Key == "workload" || p.Key == "limit")
	})
}

// distinguishingKeys returns the keys in which all runs of an input agree, but the inputs differ.
// Without these keys names may match, as after a change of the workload. It returns none if the
// first input has a benchmark in common with another.
func distinguishingKeys(inputs []results.Input, opts Options) (keys []results.Pair) {
	if len(inputs) < 2 || opts.Row != "" || opts.Col != "" || opts.Table != "" ||
		opts.Ignore != "" {
		return nil
	}
	first, names := inputs[0].Results.Runs, map[string]bool{}
	for i := range first {
		names[first[i].Name] = true
	}
	var candidates []results.Pair
	for n, in := range inputs {
		if n > 0 && slices.ContainsFunc(in.Results.Runs, func(r results.Run) bool {
			return names[r.Name]
		}) {
			return nil
		}
		candidates = append(candidates, in.Results.Runs[0].Keys...)
	}
	for _, p := range candidates {
		differs, mixed := false, false
		for _, in := range inputs {
			value := in.Results.Runs[0].Key(p.Key)
			differs = differs || value != first[0].Key(p.Key)
			mixed = mixed || slices.ContainsFunc(in.Results.Runs, func(r results.Run) bool {
				return r.Key(p.Key) != value
			})
		}
		if differs && !mixed &&
			!slices.ContainsFunc(keys, func(k results.Pair) bool { return k.Key == p.Key }) {
			keys = append(keys, p)
		}
	}
	return keys
}

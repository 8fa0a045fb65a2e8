package result

// A Metric is one judged number of a run, in the unit that names it.
type Metric struct {
	Unit  string
	Value float64
}

// Quantiles are the reported ones, with the name each has in a unit. A quantile is the nearest rank
// ⌈pN⌉.
var Quantiles = []struct {
	Name string
	P    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}

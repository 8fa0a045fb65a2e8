package page

import (
	"fmt"
	"io"
	"testing"
)

// BenchmarkRender3000 reads a directory of 3,000 runs and draws its page and all of its charts.
func BenchmarkRender3000(b *testing.B) {
	dir := writeSample(b, manyScenarios(3000))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Load(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.WriteHTML(io.Discard); err != nil {
			b.Fatal(err)
		}
		if err := r.writeCharts(b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
}

// manyScenarios are as many as give so many runs: 25 workloads at four loads, each a few times.
func manyScenarios(runs int) (out []sampleScenario) {
	const workloads, loads, reps = 25, 4, 5
	for w := range workloads {
		for l := range loads {
			out = append(out, sampleScenario{workload: fmt.Sprintf("lognormal:c2=%d", w+1),
				arrival: "poisson", c2: float64(w + 1), limit: 4, load: 0.6 + 0.1*float64(l),
				clock: "virtual", n: 400, reps: reps})
		}
	}
	if got := len(out) * reps * len(sampleStrategies); got != runs {
		panic(fmt.Sprint(got, " runs"))
	}
	return out
}

package bench_test

import (
	"flag"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// TestBenchmarkSeed: the seed of the environment makes other work of a benchmark, and the same seed
// the same.
func TestBenchmarkSeed(t *testing.T) {
	v, err := strategies.Resolve(param.Call{Name: "worker_pool"})
	if err != nil {
		t.Fatal(err)
	}
	benchtime := flag.Lookup("test.benchtime")
	before := benchtime.Value.String()
	if err := benchtime.Value.Set("300x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := benchtime.Value.Set(before); err != nil {
			t.Error(err)
		}
	})
	mean := func(seed string) float64 {
		if seed != "" {
			t.Setenv("POOLBENCH_SEED", seed)
		}
		r := testing.Benchmark(func(b *testing.B) {
			bench.Benchmark(b, bench.Scenario{Strategy: v, Limit: 4,
				Load: bench.Load{Relative: 0.8}, Clock: bench.Virtual})
		})
		return r.Extra["mean-response-ns"]
	}
	plain, one, same, other := mean(""), mean("1"), mean("1"), mean("9223372036854775807")
	if plain == 0 || one != same || plain == one || one == other {
		t.Errorf("mean responses: %v without a seed, %v and %v with 1, %v with another", plain,
			one, same, other)
	}
}

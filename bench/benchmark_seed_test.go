package bench_test

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

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
	seed := func(own uint64, environment string, load float64) (seed, mean float64) {
		if environment != "" {
			t.Setenv("POOLBENCH_SEED", environment)
		}
		r := testing.Benchmark(func(b *testing.B) {
			bench.Benchmark(b, bench.Scenario{Strategy: v, Limit: 4, Seed: own,
				Load: bench.Load{Relative: load}, Clock: bench.Virtual})
		})
		return r.Extra["virtual-seed"], r.Extra["mean-response-ns"]
	}
	means := map[float64]float64{}
	for _, c := range []struct {
		own         uint64
		environment string
		want        float64
	}{{0, "", 0}, {0, "", 1}, {5, "", 7}, {0, "4", 7}, {0, "9223372036854775807", 3},
		{0, "9223372036854775807", 4}} {
		got, mean := seed(c.own, c.environment, 0.8)
		if got != c.want {
			t.Errorf("a run with seed %d and %q of the environment has seed %v, want %v", c.own,
				c.environment, got, c.want)
		}
		if before, again := means[got]; mean == 0 || again && before != mean {
			t.Errorf("seed %v: the mean response is %v, and was %v", got, mean, before)
		}
		for other, before := range means {
			if other != got && before == mean {
				t.Errorf("seeds %v and %v: the mean response is %v", got, other, mean)
			}
		}
		means[got] = mean
	}
	t.Setenv("POOLBENCH_SEED", "0")
	if got, _ := seed(0, "", 0.7); got != 0 {
		t.Errorf("the first run of another scenario has seed %v", got)
	}
}

func TestBenchmarkCount(t *testing.T) {
	for _, benchtime := range []string{"1x", "300x", "1us"} {
		out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$", "-test.count=3",
			"-test.cpu=1,2", "-test.benchtime="+benchtime,
			"-test.bench=^BenchmarkRun$/^strategy=worker_pool$/./././././^clock=virtual$").Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		seeds, means := []string{}, map[string]string{}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			at := slices.Index(fields, "virtual-seed")
			if at < 0 {
				continue
			}
			seed, mean := fields[at-1], fields[slices.Index(fields, "mean-response-ns")-1]
			for other, before := range means {
				if (other == seed) != (before == mean) {
					t.Errorf("%s: seeds %s and %s: mean responses %s and %s", benchtime, other,
						seed, before, mean)
				}
			}
			seeds, means[seed] = append(seeds, seed), mean
		}
		if want := []string{"0", "1.000", "2.000", "3.000", "4.000", "5.000"}; !slices.Equal(seeds,
			want) {
			t.Errorf("%s: seeds %q, want %q\n%s", benchtime, seeds, want, out)
		}
	}
}

package workloads

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/registry"
)

// looks is the number of calls of ctx.Err by a complete task.
var smallCPU = map[string]struct {
	build func(seed uint64) machine.Doer
	looks int
}{
	"cpu_sha256": {func(seed uint64) machine.Doer { return newHasher(seed, 3*chunk) }, 4},
	"cpu_pbkdf2": {func(seed uint64) machine.Doer {
		return &cpuPBKDF2{seed: seed, iterations: 3}
	}, 1},
	"cpu_gzip": {func(seed uint64) machine.Doer { return newCompressor(seed, 3) }, 3},
	"cpu_json": {func(uint64) machine.Doer { return newDoubler(3) }, 2},
	"cpu_average": {func(uint64) machine.Doer { return &cpuAverage{n: 2*averageChunk + 1} },
		3},
	"cpu_average, no more": {func(uint64) machine.Doer { return &cpuAverage{n: averageChunk} }, 1},
	"cpu_random":           {func(uint64) machine.Doer { return newRandom(2*randomChunk + 1) }, 3},
	"cpu_io": {func(seed uint64) machine.Doer {
		return &cpuIO{hash: newHasher(seed, 3*chunk), coin: registry.Coin{Seed: seed, P: 1}}
	}, 4},
	"cpu_sort": {func(seed uint64) machine.Doer { return &cpuSort{seed: seed, n: 100} }, 2},
}

func TestSmallCPUIsComplete(t *testing.T) {
	for _, s := range All() {
		if _, tested := smallCPU[s.Name]; strings.HasPrefix(s.Name, "cpu_") && !tested {
			t.Errorf("%s is not among those under test", s.Name)
		}
	}
}

// After the first error of ctx, a task must not check ctx again.
func TestCPUTasksEndWithTheirContext(t *testing.T) {
	for name, c := range smallCPU {
		w := c.build(1)
		for looks := range c.looks {
			ctx := &endsAfter{context.Background(), looks}
			if err := w.Do(ctx, 1); !errors.Is(err, context.Canceled) || ctx.looks != -1 {
				t.Errorf("%s: ended at look %d, it returned %v and looked %d times more", name,
					looks, err, -1-ctx.looks)
			}
		}
		ctx := &endsAfter{context.Background(), c.looks}
		if err := w.Do(ctx, 1); err != nil || ctx.looks != 0 {
			t.Errorf("%s: it returned %v and looked %d times, want %d", name, err,
				c.looks-ctx.looks, c.looks)
		}
	}
}

func TestAllCPUTasksRunConcurrently(t *testing.T) {
	for name, c := range smallCPU {
		w := c.build(1)
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				for seq := range uint64(10) {
					if err := w.Do(context.Background(), g*10+seq); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestAmounts(t *testing.T) {
	for name, c := range map[string]struct {
		amount *amount
		units  func(Workload) int
	}{
		"cpu_sha256": {sha256Blocks, func(w Workload) int { return w.(*cpuSHA256).blocks }},
		"cpu_pbkdf2": {pbkdf2Iterations,
			func(w Workload) int { return w.(*cpuPBKDF2).iterations }},
		"cpu_gzip":    {gzipPages, func(w Workload) int { return w.(*cpuGzip).pages }},
		"cpu_average": {averageNumbers, func(w Workload) int { return w.(*cpuAverage).n }},
		"cpu_random":  {randomBytes, func(w Workload) int { return w.(*cpuRandom).bytes }},
	} {
		l, err := calibrated.Line(c.amount)
		if err != nil {
			t.Fatal(err)
		}
		counted := calibratedVariant(t, name, param.Arg{Key: c.amount.count.Name, Value: "12345"})
		if c.units(counted) != 12345 || counted.Mean() != l.Time(12345) || counted.Mean() <= 0 ||
			counted.C2() != 0 {
			t.Errorf("%s: %d units, mean %v, C² %v", name, c.units(counted),
				counted.Mean(), counted.C2())
		}
		timed := calibratedVariant(t, name, param.Arg{Key: "mean", Value: "10ms"})
		if off := float64((timed.Mean() - 10*time.Millisecond).Abs()); off > l.PerUnit/2+1 ||
			timed.Mean() != l.Time(c.units(timed)) {
			t.Errorf("%s: %d units, mean %v, want 10ms ± %v ns", name, c.units(timed),
				timed.Mean(), l.PerUnit/2)
		}
	}
}

func calibratedVariant(t *testing.T, name string, args ...param.Arg) Workload {
	t.Helper()
	v, err := Resolve(param.Call{Name: name, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A mean below half a unit must be rejected, even if Fixed is negative.
func TestUnitsIn(t *testing.T) {
	for _, c := range []struct {
		mean        time.Duration
		fixed, unit float64
		want        int // 0: an error
	}{{1000, 100, 90, 10}, {144, 100, 90, 0}, {190, 100, 90, 1}, {60, -300, 90, 4},
		{44, -300, 90, 0}, {1, -1e7, 90, 0}, {1 << 40, 0, 90, 0}, {100, 10, -1, 0}} {
		got, err := unitsIn(c.mean, machine.Line{Fixed: c.fixed, PerUnit: c.unit}, "blocks")
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%v by %v + n × %v: %d %v, want %d", c.mean, c.fixed, c.unit, got, err, c.want)
		}
	}
}

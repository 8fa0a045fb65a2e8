package strategies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// 95 % of the tasks take 1 ms and 5 % take 50 ms, at 80 % of four slots. With two slots each, the
// pool for short tasks is nearly idle and the pool for long tasks is overloaded.
func ExamplePoolLoads() {
	offered := []strategies.ClassLoad{
		{Class: strategies.Short, Rate: 0.95 * 927.536, Mean: time.Millisecond},
		{Class: strategies.Long, Rate: 0.05 * 927.536, Mean: 50 * time.Millisecond},
	}
	pools := []strategies.ClassPool{{Class: strategies.Short, Limit: 2},
		{Class: strategies.Long, Limit: 2}}
	for _, l := range strategies.PoolLoads(pools, offered) {
		fmt.Println(l)
	}
	// Output:
	// short 2: utilisation 0.441
	// long 2: utilisation 1.16, unstable
	// any 4: utilisation 0.8
}

func TestPoolLoads(t *testing.T) {
	offered := func(load float64) []strategies.ClassLoad {
		rate := load * 4 / (0.95*0.001 + 0.05*0.050)
		return []strategies.ClassLoad{
			{Class: strategies.Short, Rate: 0.95 * rate, Mean: time.Millisecond},
			{Class: strategies.Long, Rate: 0.05 * rate, Mean: 50 * time.Millisecond},
		}
	}
	for _, test := range []struct {
		short int
		edge  float64 // highest stable load, to three digits
		pool  int     // index of the pool that is unstable above edge
	}{{3, 0.345, 1}, {2, 0.690, 1}, {1, 0.908, 0}} {
		pools := []strategies.ClassPool{{Class: strategies.Short, Limit: test.short},
			{Class: strategies.Long, Limit: 4 - test.short}}
		for _, l := range strategies.PoolLoads(pools, offered(test.edge-0.001)) {
			if !l.Stable() {
				t.Errorf("%d short slots at load %v: %v", test.short, test.edge-0.001, l)
			}
		}
		for i, l := range strategies.PoolLoads(pools, offered(test.edge+0.001)) {
			if l.Stable() != (i != test.pool) {
				t.Errorf("%d short slots at load %v: %v", test.short, test.edge+0.001, l)
			}
		}
	}
	some := []strategies.ClassLoad{{Class: strategies.CPU, Rate: 1000, Mean: 3 * time.Millisecond},
		{Class: strategies.Short, Rate: 1000, Mean: time.Millisecond}}
	pools := []strategies.ClassPool{
		{Class: strategies.Short, Limit: 2},
		{Class: strategies.Long, Limit: 2},
	}
	loads := strategies.PoolLoads(pools, some)
	want := []float64{0.5, 0, 1}
	for i, l := range loads {
		if l.Utilisation != want[i] {
			t.Errorf("%v, want a utilisation of %v", l, want[i])
		}
	}
	if loads[2].Stable() {
		t.Error("a utilisation of 1 is stable")
	}
}

package builtin_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

func TestCPUIOPools(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	for _, test := range []struct {
		call       string
		limit, cpu int
	}{
		{"cpu_io_split", 2, 1},
		{"cpu_io_split", 3, 1},
		{"cpu_io_split", 2 * cores, cores},
		{"cpu_io_split", 100 * cores, cores},
		{"cpu_io_split:cpu=3", 4, 3},
	} {
		_, p := variant(t, test.call, test.limit, 0)
		want := []strategies.ClassPool{{Class: strategies.CPU, Limit: test.cpu},
			{Class: strategies.IO, Limit: test.limit - test.cpu}}
		if got := declaredPools(t, test.call, p); !slices.Equal(got, want) {
			t.Errorf("%s with limit %d: %v, want %v", test.call, test.limit, got, want)
		}
	}
	checkValidate(t, "cpu_io_split", 1,
		"strategy cpu_io_split: two pools want a limit of at least 2")
	checkValidate(t, "cpu_io_split:cpu=4", 4,
		"strategy cpu_io_split: cpu=4 leaves no slot for I/O, with a limit of 4")
	checkValidate(t, "cpu_io_split:cpu=-1", 4,
		"strategy cpu_io_split: cpu: want a number of slots that is not negative")
}

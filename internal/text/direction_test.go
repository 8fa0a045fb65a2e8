package text

import "testing"

func TestBetter(t *testing.T) {
	for want, units := range map[int][]string{
		-1: {"sec/op", "p99-sec", "sec/item", "B", "B/op", "heap-B", "allocs/op", "allocs", "bytes",
			"sec", "p50-response-sec", "instructions/op", "ms", "cpu-sec/op"},
		+1: {"B/s", "req/s", "ops/s", "goodput-ops/s", "qps"},
		0: {"offered-ops/s", "frobs", "errors/s", "items", "ratio", "second", "Best", "allocs/s",
			"msecs", ""},
	} {
		for _, unit := range units {
			if got := Better(unit); got != want {
				t.Errorf("%q is %d, want %d", unit, got, want)
			}
		}
	}
}

package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// allocating simulates a run: the lower median of four processes. more is the regression.
type allocating func(r *rand.Rand, more float64) float64

// process simulates perOp allocations per operation. The Go runtime adds up to runtime allocations
// per process.
func process(perOp, operations, runtime float64) allocating {
	return ofParts(func(r *rand.Rand, more float64) float64 {
		return perOp + more + r.Float64()*runtime/operations
	})
}

func ofParts(value allocating) allocating {
	return func(r *rand.Rand, more float64) float64 {
		var parts []float64
		for range 4 {
			parts = append(parts, math.Floor(value(r, more)))
		}
		slices.Sort(parts)
		return parts[1]
	}
}

// busy is like process, but the Go runtime allocates ten times as much in a quarter of the
// processes.
func busy(perOp, operations, runtime float64) allocating {
	return ofParts(func(r *rand.Rand, more float64) float64 {
		own := r.Float64() * runtime
		if r.IntN(4) == 0 {
			own *= 10
		}
		return perOp + more + own/operations
	})
}

// pooled simulates a sync.Pool that misses some values per operation after garbage collections.
func pooled(perOp, missed, sd float64) allocating {
	return ofParts(func(r *rand.Rand, more float64) float64 {
		return perOp + more + max(0, missed+sd*r.NormFloat64())
	})
}

var allocatingKinds = []struct {
	unit  string
	name  string
	value allocating
	one   float64
}{
	{"allocs/op", "none", process(0, 1000, 900), 1},
	{"allocs/op", "few operations", process(3, 10, 15), 1},
	{"allocs/op", "busy", busy(3, 100, 50), 1},
	{"allocs/op", "busy, many", busy(1000, 100, 50), 1},
	{"allocs/op", "1000 or 1001", process(1000.5, 1, 1), 1},
	{"allocs/op", "seldom 1001", process(1000.05, 1, 1), 1},
	{"allocs/op", "pooled", pooled(20, 0.9, 0.3), 1},
	{"allocs/op", "pooled, many", pooled(1000, 30, 10), 60},
	{"B/op", "none", process(0, 1000, 9000), 16},
	{"B/op", "few operations", process(48, 10, 50), 16},
	{"B/op", "busy", busy(48, 100, 300), 16},
	{"B/op", "pooled", pooled(4096, 700, 300), 1800},
	{"B/op", "from nothing", busy(0, 100, 300), 8},
}

func gated(t *testing.T, unit string, value allocating, more float64, seed uint64) Row {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	m := Metric{Benchmark: "b", Unit: unit, Better: verdict.LowerIsBetter}
	draw := func(n int) (pairs []Pair) {
		for range n {
			pairs = append(pairs, Pair{value(random, 0), value(random, more)})
		}
		return pairs
	}
	o := Defaults()
	samples := []Sample{{Metric: m, Pairs: draw(o.ScreenPairs)}}
	for i := range 19 {
		other := m
		other.Benchmark = string(rune('c' + i))
		samples = append(samples, Sample{Metric: other, Pairs: repeated(o.ScreenPairs, 5, 5)})
	}
	r := both(t, o, samples, func(m Metric, n int) []Pair { return draw(n) })
	return r.Rows[0]
}

func TestAllocations(t *testing.T) {
	const gates = 400
	if testing.Short() {
		allocatingKinds = allocatingKinds[:1]
	}
	for _, c := range allocatingKinds {
		t.Run(c.unit+"/"+c.name, func(t *testing.T) {
			for _, want := range []struct {
				more    float64
				verdict verdict.Verdict
				missed  int
			}{{0, verdict.NoWorse, 4}, {c.one, verdict.Worse, 12}, {-c.one, verdict.Better, 12}} {
				value, more := c.value, want.more
				if more < 0 {
					value = func(r *rand.Rand, less float64) float64 {
						return c.value(r, c.one+less)
					}
				}
				got := map[verdict.Verdict]int{}
				for seed := range uint64(gates) {
					row := gated(t, c.unit, value, more, seed)
					got[row.Verdict]++
					if row.Verdict == verdict.Inconclusive {
						t.Errorf("%+g in each operation, seed %d: inconclusive, %s", more, seed,
							row.Reason)
					}
				}
				if gates-got[want.verdict] > want.missed {
					t.Errorf("%+g in each operation: %v, want %s", more, got, want.verdict)
				}
			}
		})
	}
}

func TestAllocationsRecorded(t *testing.T) {
	many := func(n int, values ...float64) (all []float64) {
		for i := range n {
			all = append(all, values[i%len(values)])
		}
		return all
	}
	for _, c := range []struct {
		name       string
		unit       string
		base, head []float64
		allowed    Allowance
		want       verdict.Verdict
		reason     string
	}{
		{"equal", "allocs/op", many(1, 10), many(1, 10), Allowance{}, verdict.NoWorse, ""},
		{"one more", "allocs/op", many(10, 10), many(10, 11), Allowance{}, verdict.Worse, ""},
		{"one more of a thousand", "allocs/op", many(3, 1000), many(3, 1001), Allowance{},
			verdict.Worse, ""},
		{"one less", "allocs/op", many(10, 10), many(10, 9), Allowance{}, verdict.Better, ""},
		{"the first", "allocs/op", many(10, 0), many(10, 1), Allowance{}, verdict.Worse, ""},
		{"one more, in two runs", "allocs/op", many(2, 10), many(2, 11), Allowance{},
			verdict.Inconclusive, "too few samples: 2 and 2, need 7 each"},
		{"one more, in wobbling runs", "allocs/op", many(20, 10, 10, 11), many(20, 11, 12, 11),
			Allowance{}, verdict.Worse, ""},
		{"a wobble", "allocs/op", many(10, 1000, 1001), many(10, 1001, 1001, 1000), Allowance{},
			verdict.NoWorse, ""},
		{"a pool", "allocs/op", many(10, 1000, 1010, 1005), many(10, 1004, 1012, 1005),
			Allowance{}, verdict.NoWorse, "runs of the same revision differ equally"},
		{"half of one", "allocs/op", many(10, 10, 10, 11), many(10, 10.5), Allowance{},
			verdict.NoWorse, "less than one allocation per operation"},
		{"a few bytes from nothing", "B/op", many(10, 0, 0, 3), many(10, 4, 0, 5, 2), Allowance{},
			verdict.NoWorse, "less than one allocation per operation"},
		{"a block from nothing", "B/op", many(10, 0), many(10, 16), Allowance{}, verdict.Worse,
			""},
		{"a byte, by rounding", "B/op", many(10, 5), many(10, 6), Allowance{}, verdict.NoWorse,
			"less than one allocation per operation"},
		{"bytes within the margin", "B/op", many(10, 1000), many(10, 1020), Allowance{},
			verdict.NoWorse, ""},
		{"bytes beyond", "B/op", many(10, 1000), many(10, 1021), Allowance{}, verdict.Worse, ""},
		{"one more, allowed", "allocs/op", many(10, 10), many(10, 11), Allowance{Amount: 1},
			verdict.NoWorse, "within the allowance"},
		{"two more, one allowed", "allocs/op", many(10, 10), many(10, 12), Allowance{Amount: 1},
			verdict.Worse, ""},
		{"two more, one allowed, in wobbling runs", "allocs/op", many(20, 10, 10, 10, 11),
			many(20, 12, 12, 12, 13), Allowance{Amount: 1}, verdict.Worse, ""},
		{"5 % allowed", "B/op", many(10, 1000), many(10, 1050), Allowance{Share: 0.05},
			verdict.NoWorse, "within the allowance"},
		{"more than 5 %", "B/op", many(10, 1000), many(10, 1051), Allowance{Share: 0.05},
			verdict.Worse, ""},
	} {
		for _, paired := range []bool{false, true} {
			s := Sample{Metric: Metric{Benchmark: "b", Unit: c.unit,
				Better: verdict.LowerIsBetter, Allowed: c.allowed}, Base: c.base, Head: c.head}
			if paired {
				for i := range c.base {
					s.Pairs = append(s.Pairs, Pair{c.base[i], c.head[i]})
				}
			}
			r, err := JudgeOnce(Defaults(), []Sample{s})
			if err != nil {
				t.Fatal(err)
			}
			row, reason := r.Rows[0], c.reason
			if paired && row.N < 3 && reason != "" {
				reason = "too few pairs: 2, and 11 are needed"
			}
			if row.Verdict != c.want || row.Reason != reason {
				t.Errorf("%s (in pairs: %v): %s (%s), want %s (%s)\n%+v", c.name, paired,
					row.Verdict, row.Reason, c.want, reason, row)
			}
		}
	}
}

func TestAllocationsOfRuns(t *testing.T) {
	s := Sample{Metric: Metric{Benchmark: "b", Unit: "allocs/op", Better: verdict.LowerIsBetter,
		Full: true}, Pairs: repeated(10, 3, 3.05)}
	r, err := JudgeOnce(Defaults(), []Sample{s})
	if err != nil || r.Rows[0].Verdict != verdict.NoWorse {
		t.Errorf("%+v, %v", r, err)
	}
	s.Pairs = repeated(10, 3, 3.3)
	if r, err = JudgeOnce(Defaults(), []Sample{s}); err != nil || r.Rows[0].Verdict != verdict.Worse {
		t.Errorf("%+v, %v", r, err)
	}
}

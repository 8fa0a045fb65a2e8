package measure

import (
	"hash/fnv"
	"math/rand/v2"
)

// A slot is one pair: which benchmark, and how its two runs are run.
type slot struct {
	benchmark int
	pair      int // counts those of a benchmark, from 0; the same in all benchmarks of a round
	headFirst bool
	layout    int
	seed      uint64 // for SeedVariable in both runs
}

// A schedule is a pure function: any round can be had without those before it, so that a gate that
// was killed goes on as planned.
type schedule struct {
	seed     uint64
	layouts  int
	screened int      // pairs of the first stage
	names    []string // of the benchmarks, no two alike
}

// layout is that of a pair. In the first stage the layouts take turns. In the second each pair has
// one of its own, for the verdict rests on these pairs as independent ones: where a loop lies moves
// some benchmarks by a tenth, and of six layouts that come again and again the same luck would come
// again and again. A replay of unchanged code whose layouts differ by 1.5 % does not show it; code
// that is all one small loop does.
func (s schedule) layout(pair int) int {
	switch {
	case s.layouts == 1:
		return 0
	case pair < s.screened:
		return pair % s.layouts
	}
	return s.layouts + pair - s.screened
}

// round is one pair for each of the benchmarks, in random order.
func (s schedule) round(pair int, of []int) []slot {
	slots := make([]slot, len(of))
	for i, b := range of {
		slots[i] = slot{benchmark: b, pair: pair, headFirst: s.headFirst(b, pair),
			layout: s.layout(pair), seed: s.workSeed(pair)}
	}
	s.draw("order", pair).Shuffle(len(slots), func(i, j int) {
		slots[i], slots[j] = slots[j], slots[i]
	})
	return slots
}

// workSeed is what the benchmarks draw their work from.
func (s schedule) workSeed(pair int) uint64 { return s.draw("work", pair).Uint64() >> 1 }

// headFirst draws which side of a pair goes first. Of the pairs 2k and 2k+1 the draw decides one,
// and the other is the opposite: what the first run leaves to the second is then the same for both
// sides after every second pair.
func (s schedule) headFirst(benchmark, pair int) bool {
	first := s.draw(s.names[benchmark], pair/2).Uint64()&1 == 1
	return first != (pair%2 == 1)
}

// draw is the source of one decision.
func (s schedule) draw(what string, number int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(what)) // never fails
	return rand.New(rand.NewPCG(s.seed, h.Sum64()^uint64(number)*0x9e3779b97f4a7c15))
}

// layoutSeed is what the linker orders the functions by, above 0 and another for each side and
// layout.
func (s schedule) layoutSeed(side side, layout int) int {
	start := int(s.draw("layouts", 0).Uint32() >> 2)
	return start + 2*layout + int(side) + 1
}

package measure

import (
	"hash/fnv"
	"math/rand/v2"
)

type slot struct {
	benchmark int
	pair      int // index among the benchmark's pairs, the same for all benchmarks of a round
	headFirst bool
	layout    int
	seed      uint64 // for SeedVariable in both runs
}

// Each round can be computed without earlier ones, so a killed gate resumes as planned.
type schedule struct {
	seed     uint64
	layouts  int
	screened int // pairs of the first stage
	names    []string
}

// The first stage repeats the layouts. In the second stage each pair has a new layout, because the
// verdict assumes independent pairs: the address of a small loop changes its time by up to 10 %.
func (s schedule) layout(pair int) int {
	switch {
	case s.layouts == 1:
		return 0
	case pair < s.screened:
		return pair % s.layouts
	}
	return s.layouts + pair - s.screened
}

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

func (s schedule) workSeed(pair int) uint64 { return s.draw("work", pair).Uint64() >> 1 }

// Pairs 2k and 2k+1 have opposite orders, which balances the effect of the order.
func (s schedule) headFirst(benchmark, pair int) bool {
	first := s.draw(s.names[benchmark], pair/2).Uint64()&1 == 1
	return first != (pair%2 == 1)
}

func (s schedule) draw(what string, number int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(what))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()^uint64(number)*0x9e3779b97f4a7c15))
}

// The linker's seed is positive and different for each side and layout.
func (s schedule) layoutSeed(side side, layout int) int {
	start := int(s.draw("layouts", 0).Uint32() >> 2)
	return start + 2*layout + int(side) + 1
}

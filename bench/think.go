package bench

import (
	"math/rand/v2"

	"github.com/poolbench/poolbench/bench/dist"
)

// thinkStream keeps the think times' random numbers apart from those of the arrivals and the task
// times.
const thinkStream = 0x7468696e_6b000000

// A thinker draws think times: the one before task seq is a function of the seed and seq alone.
type thinker struct {
	seed uint64
	dist dist.Dist
	pcg  *rand.PCG
	rand *rand.Rand
}

func newThinker(seed uint64, d dist.Dist) *thinker {
	pcg := rand.NewPCG(0, 0)
	return &thinker{seed: seed, dist: d, pcg: pcg, rand: rand.New(pcg)}
}

func (t *thinker) time(seq uint64) int64 {
	t.pcg.Seed(t.seed+thinkStream, seq)
	return int64(t.dist.Sample(t.rand))
}

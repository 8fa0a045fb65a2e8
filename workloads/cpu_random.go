//go:build !js

package workloads

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
)

var randomBytes = &amount{
	param.Key{Name: "bytes", Kind: param.Size,
		Doc: "random bytes per task, instead of mean: the same work on every machine"},
	func(_ uint64, bytes int) counted { return newRandom(bytes) },
}

var _ = register(randomBytes.spec(Spec{
	Name:    "cpu_random",
	Summary: "reads a fixed number of random bytes from the operating system",
	Source:  "pattern: random bytes, more for some than for others, from one worker pool",
}))

// randomChunk bytes take about 40 µs.
const randomChunk = 16 << 10

// The seed has no effect.
type cpuRandom struct {
	timeMoments
	bytes int
	slots sync.Pool // of *[randomChunk]byte
}

func newRandom(bytes int) *cpuRandom {
	w := &cpuRandom{bytes: bytes}
	w.slots.New = func() any { return new([randomChunk]byte) }
	return w
}

func (w *cpuRandom) Do(ctx context.Context, _ uint64) error {
	s := w.slots.Get().(*[randomChunk]byte)
	defer w.slots.Put(s)
	for left := w.bytes; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := rand.Read(s[:min(left, randomChunk)])
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

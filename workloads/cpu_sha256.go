//go:build !js

package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
)

var sha256Blocks = &amount{
	param.Key{Name: "blocks", Kind: param.Int,
		Doc: "blocks of 64 bytes per task, instead of mean: the same work on every machine"},
	func(seed uint64, blocks int) counted { return newHasher(seed, blocks) },
}

var _ = register(sha256Blocks.spec(Spec{
	Name: "cpu_sha256",
	Summary: "hashes a fixed number of blocks with SHA-256: the same work for every task; real " +
		"clock only",
	Source: "FIPS 180-4",
}))

// 256 blocks are 16 KiB, about 10 µs with SHA instructions and 50 µs without.
const chunk = 256

type cpuSHA256 struct {
	timeMoments
	seed   uint64
	blocks int
	// all blocks but the first, reused, because the content does not affect the time
	input []byte
	slots sync.Pool // of *hashing
}

// hashing is the memory of one task. Its digest prevents the compiler from removing the work.
type hashing struct {
	hash  hash.Hash
	first [sha256.BlockSize]byte
	sum   []byte
}

func newHasher(seed uint64, blocks int) *cpuSHA256 {
	w := &cpuSHA256{seed: seed, blocks: blocks, input: make([]byte, chunk*sha256.BlockSize)}
	w.slots.New = func() any {
		return &hashing{hash: sha256.New(), sum: make([]byte, 0, sha256.Size)}
	}
	return w
}

func (w *cpuSHA256) Do(ctx context.Context, seq uint64) error {
	s := w.slots.Get().(*hashing)
	defer w.slots.Put(s)
	return w.digest(ctx, s, seq)
}

func (w *cpuSHA256) digest(ctx context.Context, s *hashing, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(s.first[0:], w.seed)
	binary.LittleEndian.PutUint64(s.first[8:], seq)
	s.hash.Reset()
	s.hash.Write(s.first[:]) // a hash.Hash never returns an error
	for left := w.blocks - 1; left > 0; {
		n := min(left, chunk)
		s.hash.Write(w.input[:n*sha256.BlockSize])
		left -= n
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	s.sum = s.hash.Sum(s.sum[:0])
	return nil
}

package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/param"
)

var _ = register(Spec{
	Name:    "cpu_sha256",
	Summary: "hashes a counted number of blocks with SHA-256: the same work for every task, real clock only",
	Source:  "FIPS 180-4",
	Kind:    CPU,
	Keys: []param.Key{
		{Name: "mean", Kind: param.Duration, Default: "1ms", Doc: "time of a task alone on this machine, which gives the number of blocks"},
		{Name: "blocks", Kind: param.Int, Default: "0", Doc: "blocks of 64 bytes per task, in place of mean: the same work on every machine"},
	},
	New:   newCPUSHA256,
	Check: checkCPUSHA256,
})

// chunk is the number of blocks between two looks at ctx: 16 KiB, some 10 µs with the SHA instructions of a current CPU and
// five times that without.
const chunk = 256

type cpuSHA256 struct {
	seed   uint64
	blocks int
	mean   time.Duration
	input  []byte    // all but the first block of each task, again and again; its content does not matter to the time
	slots  sync.Pool // of *hashing
}

// hashing is a task's own memory. The digest is kept here so that no part of the work is without a use.
type hashing struct {
	hash  hash.Hash
	first [sha256.BlockSize]byte
	sum   []byte
}

func checkCPUSHA256(v param.Values) error {
	switch {
	case v.Given("mean") && v.Given("blocks"):
		return errors.New("blocks: give either blocks or mean, not both")
	case v.Int("blocks") < 0:
		return fmt.Errorf("blocks: must be positive, got %d", v.Int("blocks"))
	case v.Int("blocks") > math.MaxInt32:
		return fmt.Errorf("blocks: must be at most %d, got %d", math.MaxInt32, v.Int("blocks"))
	}
	_, err := positiveMean(v)
	return err
}

func newCPUSHA256(seed uint64, v param.Values) (Workload, error) {
	if err := checkCPUSHA256(v); err != nil {
		return nil, err
	}
	nsPerBlock, err := calibrated.get()
	if err != nil {
		return nil, err
	}
	blocks := v.Int("blocks")
	if blocks == 0 {
		exact := math.Round(float64(v.Duration("mean"))/nsPerBlock) - padding
		if exact < 1 || exact > math.MaxInt32 {
			return nil, fmt.Errorf("mean: %v would be %.0f blocks on this machine, want 1 to %d", v.Duration("mean"), max(0, exact), math.MaxInt32)
		}
		blocks = int(exact)
	}
	w := newHasher(seed, blocks)
	w.mean = time.Duration(math.Round(nsPerBlock * float64(blocks+padding)))
	return w, nil
}

// padding is the block that SHA-256 adds to every message of whole blocks.
const padding = 1

func newHasher(seed uint64, blocks int) *cpuSHA256 {
	w := &cpuSHA256{seed: seed, blocks: blocks, input: make([]byte, chunk*sha256.BlockSize)}
	w.slots.New = func() any { return &hashing{hash: sha256.New(), sum: make([]byte, 0, sha256.Size)} }
	return w
}

// Do hashes. It does not allocate in the steady state.
func (w *cpuSHA256) Do(ctx context.Context, seq uint64) error {
	s := w.slots.Get().(*hashing)
	defer w.slots.Put(s)
	return w.digest(ctx, s, seq)
}

// digest leaves in s.sum the digest of a block with seed and seq, followed by zero blocks.
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

// Mean is calibrated: the time of a task that has a core to itself.
func (w *cpuSHA256) Mean() time.Duration { return w.mean }

// C2 is 0: every task is the same work.
func (w *cpuSHA256) C2() float64 { return 0 }

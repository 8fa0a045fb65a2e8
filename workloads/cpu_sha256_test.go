package workloads

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

func hasher(t testing.TB, seed uint64, args ...param.Arg) *cpuSHA256 {
	t.Helper()
	v, err := Resolve(param.Call{Name: "cpu_sha256", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(seed, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	return w.(*cpuSHA256)
}

func TestCPUTaskHashesItsBlocks(t *testing.T) {
	for _, blocks := range []int{1, 2, chunk, chunk + 1, chunk + 2, 3*chunk + 7} {
		w := newHasher(5, blocks)
		message := make([]byte, blocks*sha256.BlockSize)
		binary.LittleEndian.PutUint64(message, 5)
		binary.LittleEndian.PutUint64(message[8:], 9)
		want := sha256.Sum256(message)
		s := w.slots.Get().(*hashing)
		for range 2 { // a reused slot must give the same digest
			if err := w.digest(context.Background(), s, 9); err != nil ||
				!bytes.Equal(s.sum, want[:]) {
				t.Errorf("%d blocks: digest %x, %v; want %x", blocks, s.sum, err, want)
			}
		}
	}
}

func TestCPUCountsAreExact(t *testing.T) {
	w := hasher(t, 1, param.Arg{Key: "blocks", Value: "1234"})
	l, err := calibrated.Line(sha256Blocks)
	if err != nil {
		t.Fatal(err)
	}
	if w.blocks != 1234 || w.C2() != 0 || w.Mean() != l.Time(1234) || w.Mean() <= 0 {
		t.Errorf("%d blocks, mean %v, C² %v", w.blocks, w.Mean(), w.C2())
	}
	if w = hasher(t, 1); math.Abs(float64(w.Mean()-time.Millisecond)) > l.PerUnit {
		t.Errorf("mean %v, want 1ms within a block of %v ns", w.Mean(), l.PerUnit)
	}
	if again := hasher(t, 2); again.blocks != w.blocks {
		t.Errorf("the same mean is %d blocks, then %d", w.blocks, again.blocks)
	}
}

// endsAfter is a context that ends after a number of calls of Err.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestCPUTaskEndsWithItsContext(t *testing.T) {
	w := newHasher(1, 100*chunk)
	for _, looks := range []int{0, 1, 5} {
		s := w.slots.New().(*hashing)
		ctx := &endsAfter{context.Background(), looks}
		if err := w.digest(ctx, s, 1); !errors.Is(err, context.Canceled) || len(s.sum) != 0 {
			t.Errorf("ended at look %d, it returned %v with the digest %x", looks, err, s.sum)
		}
		if ctx.looks != -1 {
			t.Errorf("ended at look %d, it looked %d times more", looks, -1-ctx.looks)
		}
	}
}

func TestCPUTasksRunConcurrently(t *testing.T) {
	w := newHasher(1, 2*chunk)
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			for seq := range uint64(50) {
				if err := w.Do(context.Background(), g*50+seq); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCPUTaskDoesNotAllocate(t *testing.T) {
	w := newHasher(1, 10)
	s := w.slots.New().(*hashing) // not pooled: under the race detector the pool drops items
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if n := testing.AllocsPerRun(100, func() { _ = w.digest(ctx, s, 1) }); n != 0 {
		t.Errorf("%v allocations a task", n)
	}
}

func BenchmarkBlock(b *testing.B) {
	w := newHasher(1, 20_000)
	b.SetBytes(20_000 * sha256.BlockSize)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Do(context.Background(), 1); err != nil {
			b.Fatal(err)
		}
	}
}

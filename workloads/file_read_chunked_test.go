package workloads

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

func chunked(t *testing.T, args ...param.Arg) *fileReadChunked {
	t.Helper()
	v, err := Resolve(param.Call{Name: "file_read_chunked",
		Args: append(args, param.Arg{Key: "dir", Value: t.TempDir()})})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	c := w.(*fileReadChunked)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

type looks struct {
	context.Context
	n int64
}

func (c *looks) Err() error { c.n++; return nil }

// Parts of any length must read each chunk once. Only the last part may report no further part.
func TestChunksAddUp(t *testing.T) {
	w := chunked(t, param.Arg{Key: "small", Value: "100"}, param.Arg{Key: "large", Value: "1000"},
		param.Arg{Key: "chunk", Value: "64"}, param.Arg{Key: "p", Value: "0.5"})
	w.nominal = 10 * time.Microsecond // replaces the measured value
	for seq := range uint64(50) {
		n := int64(2)
		if w.Long(seq) {
			n = 16
		}
		for _, length := range []time.Duration{1, 7 * time.Microsecond, w.nominal, w.nominal + 1,
			3 * w.nominal, time.Hour, 1<<63 - 1} {
			ctx := &looks{Context: context.Background()}
			parts, more, from := int64(0), true, time.Duration(0)
			for ; more; from += length {
				var err error
				if more, err = w.DoPart(ctx, seq, from, length); err != nil {
					t.Fatal(err)
				}
				parts++
			}
			if chunks := ctx.n - parts; chunks != n { // one call of Err per part and per chunk
				t.Fatalf("parts of %v read %d chunks, want %d", length, chunks, n)
			}
			if want := int64(time.Duration(n-1)*w.nominal/length) + 1; parts != want {
				t.Fatalf("%d parts of %v, want %d", parts, length, want)
			}
		}
	}
}

func TestChunksAddUpInUnequalParts(t *testing.T) {
	w := chunked(t, param.Arg{Key: "p", Value: "1"}, param.Arg{Key: "small", Value: "10"},
		param.Arg{Key: "large", Value: "10000"}, param.Arg{Key: "chunk", Value: "100"})
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		ctx := &looks{Context: context.Background()}
		parts, more, from := int64(0), true, time.Duration(0)
		for more {
			length := time.Duration(r.Int64N(int64(10*w.nominal))) + 1
			var err error
			if more, err = w.DoPart(ctx, 1, from, length); err != nil {
				t.Fatal(err)
			}
			from += length
			parts++
		}
		if chunks := ctx.n - parts; chunks != 100 {
			t.Fatalf("%d chunks, want 100", chunks)
		}
	}
}

// An end of the context after the last chunk must have no effect.
func TestChunksEndWithTheirContext(t *testing.T) {
	w := chunked(t, param.Arg{Key: "p", Value: "1"}, param.Arg{Key: "large", Value: "1000"},
		param.Arg{Key: "small", Value: "10"}, param.Arg{Key: "chunk", Value: "100"})
	for n := range 11 {
		ctx := &endsAfter{context.Background(), n}
		err := w.Do(ctx, 1)
		if want := n < 10; errors.Is(err, context.Canceled) != want || !want && err != nil {
			t.Errorf("ended at look %d: %v", n, err)
		}
	}
}

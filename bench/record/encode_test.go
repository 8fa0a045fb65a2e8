package record

import (
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestEncoding(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 1))
	for i := range 300 {
		h := hdrhistogram.New(1, 1<<60, 1+i%3)
		for range random.IntN(1 + i*i/30) {
			value := random.Int64N(1 << random.IntN(55))
			if err := h.RecordValues(value, 1+random.Int64N(1<<random.IntN(40))); err != nil {
				t.Fatal(err)
			}
		}
		want, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := EncodeHistogram(h); err != nil || got != string(want) {
			t.Errorf("of %d values: %q, %v, want %q", h.TotalCount(), got, err, want)
		}
		if got := HistogramMax(h); got != h.Max() {
			t.Errorf("the largest of %d values is %d, want %d", h.TotalCount(), got, h.Max())
		}
	}
}

func BenchmarkEncoding(b *testing.B) {
	h := hdrhistogram.New(1, 1<<60, 2)
	random := rand.New(rand.NewPCG(29, 2))
	for range 200 {
		_ = h.RecordValue(int64(1e7 * random.ExpFloat64()))
	}
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			_, _ = EncodeHistogram(h)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			_, _ = h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		}
	})
}

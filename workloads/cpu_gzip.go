//go:build !js

package workloads

import (
	"compress/gzip"
	"context"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/poolbench/poolbench/bench/param"
)

var gzipPages = &amount{
	param.Key{Name: "pages", Kind: param.Int,
		Doc: "pages of 1 KiB per task, instead of mean: the same work on every machine"},
	func(seed uint64, pages int) counted { return newCompressor(seed, pages) },
}

var _ = register(gzipPages.spec(Spec{
	Name: "cpu_gzip",
	Summary: "compresses a fixed number of pages of text with gzip, as a web server compresses " +
		"its answers",
	Source: "RFC 1952; pattern: compression in a worker pool",
}))

// Each page of about 25 µs is compressed separately. In a single stream the first 32 KiB would cost
// less than half as much per byte as the rest.
const pageBytes, textBytes = 1 << 10, 256 << 10

// The times of cpuGzip vary by one or two percent, so C² is below 10⁻³ instead of 0.
type cpuGzip struct {
	timeMoments
	seed  uint64
	pages int
	// textBytes, followed by the first page again, so a page may start anywhere
	text  []byte
	slots sync.Pool // of *gzipping
}

type gzipping struct {
	pcg rand.PCG
	out checksum
	gz  *gzip.Writer // writes to out
}

type checksum struct {
	sum   uint32
	bytes int
}

func (c *checksum) Write(p []byte) (int, error) {
	c.sum = crc32.Update(c.sum, crc32.IEEETable, p)
	c.bytes += len(p)
	return len(p), nil
}

func newCompressor(seed uint64, pages int) *cpuGzip {
	w := &cpuGzip{seed: seed, pages: pages, text: newText(seed)}
	w.slots.New = func() any {
		s := &gzipping{}
		s.gz = gzip.NewWriter(&s.out)
		return s
	}
	return w
}

// The words have Zipf-distributed frequencies and compress to half their size.
func newText(seed uint64) []byte {
	r := rand.New(rand.NewPCG(^seed, 0)) // no task uses this stream
	words := make([][]byte, 2000)
	for i := range words {
		words[i] = make([]byte, 2+r.IntN(9))
		for j := range words[i] {
			words[i][j] = byte('a' + r.IntN(26))
		}
	}
	rank := rand.NewZipf(r, 1.1, 1, uint64(len(words)-1))
	text := make([]byte, 0, textBytes+pageBytes)
	for len(text) < textBytes {
		text = append(append(text, words[rank.Uint64()]...), ' ')
	}
	text = text[:textBytes]
	return append(text, text[:pageBytes]...)
}

func (w *cpuGzip) Do(ctx context.Context, seq uint64) error {
	s := w.slots.Get().(*gzipping)
	defer w.slots.Put(s)
	s.out = checksum{}
	return w.compress(ctx, s, &s.out, seq)
}

func (w *cpuGzip) compress(ctx context.Context, s *gzipping, to io.Writer, seq uint64) error {
	s.pcg.Seed(w.seed, seq)
	for range w.pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := s.pcg.Uint64() % textBytes
		s.gz.Reset(to)
		if _, err := s.gz.Write(w.text[at : at+pageBytes]); err != nil {
			return err
		}
		if err := s.gz.Close(); err != nil {
			return err
		}
	}
	return nil
}

package workloads

import (
	"bytes"
	"compress/gzip"
	"context"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
)

func TestCompressedPagesAreTheTasks(t *testing.T) {
	for _, pages := range []int{1, 2, 100} {
		w := newCompressor(3, pages)
		s := w.slots.New().(*gzipping)
		for seq := range uint64(5) {
			var want []byte
			pcg := rand.NewPCG(3, seq)
			for range pages {
				at := pcg.Uint64() % textBytes
				want = append(want, w.text[at:at+pageBytes]...)
			}
			var out bytes.Buffer
			if err := w.compress(context.Background(), s, &out, seq); err != nil {
				t.Fatal(err)
			}
			compressed := bytes.Clone(out.Bytes())
			in, err := gzip.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d pages, task %d: they are others, %v", pages, seq, err)
			}
			s.out = checksum{}
			if err := w.compress(context.Background(), s, &s.out, seq); err != nil ||
				s.out != (checksum{crc32.ChecksumIEEE(compressed), len(compressed)}) {
				t.Errorf("%d pages, task %d: compressed again they have the sum %+v, %v",
					pages, seq, s.out, err)
			}
		}
	}
}

func TestText(t *testing.T) {
	text := newText(1)
	if !bytes.Equal(text, newText(1)) || bytes.Equal(text, newText(2)) {
		t.Error("a text is not that of its seed alone")
	}
	if len(text) != textBytes+pageBytes || !bytes.Equal(text[textBytes:], text[:pageBytes]) {
		t.Errorf("the text of %d bytes does not go on from its beginning", len(text))
	}
	w := newCompressor(1, 100)
	s := w.slots.New().(*gzipping)
	err := w.compress(context.Background(), s, &s.out, 1)
	if ratio := float64(s.out.bytes) / (100 * pageBytes); err != nil || ratio < 0.4 || ratio > 0.6 {
		t.Errorf("text compresses to %v of it, %v", ratio, err)
	}
}

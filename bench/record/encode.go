package record

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Creating a compressor takes ten times longer than compressing a histogram.
var compressors = sync.Pool{New: func() any {
	w, err := zlib.NewWriterLevel(nil, zlib.BestCompression)
	if err != nil {
		panic(err) // unreachable because the level is valid
	}
	return w
}}

// EncodeHistogram returns the same bytes as h.Encode with V2 compressed, but faster. A short run
// encodes a hundred histograms in a fifth of its time.
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	s := h.Export()
	last := len(s.Counts) - 1
	for last > 0 && s.Counts[last] == 0 {
		last--
	}
	// Counts are signed varints. A negative number is a number of zeros.
	counts, zeros := make([]byte, 0, 512), int64(0)
	for _, n := range s.Counts[:last+1] {
		if n == 0 {
			zeros++
			continue
		}
		if zeros > 0 {
			counts, zeros = appendZeros(counts, zeros), 0
		}
		counts = binary.AppendVarint(counts, n)
	}
	if zeros > 0 { // an empty histogram
		counts = appendZeros(counts, zeros)
	}
	const cookie = uint32(hdrhistogram.V2EncodingCookieBase | 0x10)
	const compressed = uint32(hdrhistogram.V2CompressedEncodingCookieBase | 0x10)
	plain := binary.BigEndian.AppendUint32(nil, cookie)
	plain = binary.BigEndian.AppendUint32(plain, uint32(len(counts)))
	plain = binary.BigEndian.AppendUint32(plain, 0) // no offset of the index
	plain = binary.BigEndian.AppendUint32(plain, uint32(s.SignificantFigures))
	plain = binary.BigEndian.AppendUint64(plain, uint64(s.LowestTrackableValue))
	plain = binary.BigEndian.AppendUint64(plain, uint64(s.HighestTrackableValue))
	ratio := cmp.Or(s.IntegerToDoubleConversionRatio, 1)
	plain = binary.BigEndian.AppendUint64(plain, math.Float64bits(ratio))
	plain = append(plain, counts...)

	var packed bytes.Buffer
	packed.Write(make([]byte, 8)) // space for the header
	w := compressors.Get().(*zlib.Writer)
	defer compressors.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(plain); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	head := packed.Bytes()
	binary.BigEndian.PutUint32(head, compressed)
	binary.BigEndian.PutUint32(head[4:], uint32(packed.Len()-8))
	return base64.StdEncoding.EncodeToString(head), nil
}

// HistogramMax returns h.Max(), which is slow because it visits all buckets.
func HistogramMax(h *hdrhistogram.Histogram) int64 { return h.ValueAtQuantile(100) }

func appendZeros(counts []byte, n int64) []byte {
	if n == 1 {
		return append(counts, 0)
	}
	return binary.AppendVarint(counts, -n)
}

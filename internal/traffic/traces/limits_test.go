package traces

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// Zip bombs and large files without records must be rejected early.
func TestBombs(t *testing.T) {
	zipped := func(begins, again string, n int) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, begins)
		for again = strings.Repeat(again, 1<<20); n > 0 && err == nil; n-- {
			_, err = io.WriteString(w, again)
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const skipped = "16 MiB of it are empty lines and comments"
	cases := map[string]string{zipped("1\n", "\n", 20): skipped,
		zipped("1\n2\n", "#\n", 20): skipped}
	if !testing.Short() {
		cases[zipped("", "1\n", 100)] = "unzipped it has more than 200 times its size"
	}
	for text, want := range cases {
		if _, err := readText(Source{Time: "1"}, text); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("a file of %d bytes: %v, want %q", len(text), err, want)
		}
	}
}

// The number of records is estimated from the first bytes of a file, so that memory is allocated
// once.
func TestMemory(t *testing.T) {
	var text, zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&text, "%d,x%d\n", int64(1_777_626_000_000)+int64(i), i*7919%n)
	}
	_, _ = w.Write(text.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{text.Bytes(), zipped.Bytes()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Source{Time: "1"}.read(bytes.NewReader(file), int64(len(file)))
		runtime.ReadMemStats(&after)
		if err != nil || len(got.Records) != n {
			t.Fatal(err)
		}
		most := uint64(1.2*16*n) + 8<<20 // 8 MiB for buffers
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > most {
			t.Errorf("%d bytes, want at most %d", bytes, most)
		}
	}
}

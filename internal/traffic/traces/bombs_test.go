package traces

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// TestBombs: a small file that is large when it is unzipped, and one without records, end early.
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
		cases[zipped(`[{"1": 1}, `, " ", 65)] = "element 2: longer than 64 MiB" // once, not each MiB
	}
	for text, want := range cases {
		if _, err := readText(Source{Time: "1"}, text); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("a file of %d bytes: %v, want %q", len(text), err, want)
		}
	}
}

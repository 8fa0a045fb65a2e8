package cli

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestPainter: verdicts are coloured, and nothing else is.
func TestPainter(t *testing.T) {
	var b strings.Builder
	const text = "VALID 2, SUSPECT 1, INVALID 1\n0 worse, 3 worse, no worse, INVALIDATED, betters"
	if n, err := io.WriteString(painter{&b}, text); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
	want := "\x1b[32mVALID\x1b[0m 2, \x1b[33mSUSPECT\x1b[0m 1, \x1b[31mINVALID\x1b[0m 1\n" +
		"0 worse, 3 \x1b[31mworse\x1b[0m, \x1b[32mno worse\x1b[0m, INVALIDATED, betters"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

// TestPipeIsPlain: a pipe gets no escape sequence, whatever the verdicts.
func TestPipeIsPlain(t *testing.T) {
	t.Chdir(t.TempDir())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		text <- string(b)
	}()
	code := Run(t.Context(), strings.Fields("run --clock virtual --strategy worker_pool --load 1.5 "+
		"--n 50 --out x"), strings.NewReader(""), w, w)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got := <-text; code != fine || strings.Contains(got, "\x1b") ||
		!strings.Contains(got, "VALID") {
		t.Errorf("exit code %d:\n%s", code, got)
	}
}

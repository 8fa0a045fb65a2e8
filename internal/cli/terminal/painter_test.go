package terminal

import (
	"io"
	"strings"
	"testing"
)

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

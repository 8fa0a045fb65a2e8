package text

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	text := strings.Repeat("wörter und mehr ", 40)
	out := Wrapped("  – ", text, 110)
	if got := strings.Join(strings.Fields(strings.TrimPrefix(out, "  – ")),
		" "); got != strings.TrimSpace(text) {
		t.Errorf("the words are %q", got)
	}
	for i, line := range slices.Collect(strings.Lines(out)) {
		line = strings.TrimSuffix(line, "\n")
		if n := len([]rune(line)); n > 110 || i > 0 && !strings.HasPrefix(line, "      w") &&
			!strings.HasPrefix(line, "      u") && !strings.HasPrefix(line, "      m") {
			t.Errorf("line %d of %d columns: %q", i, n, line)
		}
	}
}

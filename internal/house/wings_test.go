package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostWings is how many folders internal may have: so many names are read at once.
const mostWings = 14

// TestWings: what is internal has few wings, without files of their own beside them, and each is on
// the map in CONTRIBUTING.md.
func TestWings(t *testing.T) {
	lookAround(t)
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	wings, err := filepath.Glob("../*")
	if err != nil || len(wings) < 8 || len(wings) > mostWings {
		t.Errorf("%d wings, want 8 to %d: %v %v", len(wings), mostWings, wings, err)
	}
	for _, wing := range wings {
		info, err := os.Stat(wing)
		if err != nil {
			t.Fatal(err)
		}
		if name := "| `internal/" + filepath.Base(wing) + "/` |"; !info.IsDir() ||
			!strings.Contains(string(page), name) {
			t.Errorf("%s is no wing of CONTRIBUTING.md", wing)
		}
	}
}

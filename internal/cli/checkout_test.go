package cli

import (
	"path/filepath"
	"testing"
)

// TestCheckoutAround: a program whose build does not tell its checkout finds it around its own
// directory, as that of make build does.
func TestCheckoutAround(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if dir := checkoutAround(filepath.Join(root, "bin", "poolbench")); dir != root {
		t.Errorf("%q, want %q", dir, root)
	}
	if dir := checkoutAround(filepath.Join(t.TempDir(), "bin", "poolbench")); dir != "" {
		t.Errorf("%q, want none", dir)
	}
}

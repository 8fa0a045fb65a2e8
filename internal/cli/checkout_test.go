package cli

import (
	"path/filepath"
	"testing"
)

// TestCheckoutAround: a program whose build does not tell its checkout finds it around its own
// directory, as that of make build does; one of go install is told by the path of its files.
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
	if dir := checkoutOf(filepath.Join(root, "internal", "cli", "new.go")); dir != root {
		t.Errorf("%q, want %q", dir, root)
	}
	if dir := checkoutOf("github.com/poolbench/poolbench/internal/cli/new.go"); dir != "" {
		t.Errorf("%q of what -trimpath has cut, want none", dir)
	}
}

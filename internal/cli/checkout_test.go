package cli

import (
	"path/filepath"
	"testing"
)

// Without build information, a program must find the checkout in a parent of its own directory, as
// after make build. A program of go install must find it by the paths of its source files.
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

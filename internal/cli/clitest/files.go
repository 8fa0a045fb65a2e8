package clitest

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func Tree(t testing.TB) string {
	t.Helper()
	var paths []string
	entries, err := os.ReadDir(".")
	for _, e := range entries {
		below, err := os.ReadDir(e.Name())
		if err != nil && e.IsDir() {
			t.Fatal(err)
		}
		paths = append(paths, e.Name())
		for _, b := range below {
			paths = append(paths, e.Name()+"/"+b.Name())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(paths, "\n")
}

// FullDevice returns a file whose writes fail for lack of space. It skips the test if the system
// has none.
func FullDevice(t *testing.T) string {
	const path = "/dev/full"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skip("this system has no " + path)
	}
	return path
}

func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func Room(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Chdir(t.TempDir())
	return dir
}

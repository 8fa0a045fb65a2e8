//go:build unix

package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A replaced file must keep its mode and owner.
func TestKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	want, err := plain.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Stat(path); err != nil || got.Mode() != want.Mode() {
		t.Errorf("a new file has the mode %v, %v, and others %v", got.Mode(), err, want.Mode())
	}
	owner := os.Getuid()
	if owner == 0 { // only root may change an owner
		owner = 4242
	}
	if err := os.Chown(path, owner, -1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	before := stat(t, path)
	if err := Write(path, []byte("newer")); err != nil {
		t.Fatal(err)
	}
	after := stat(t, path)
	if after.Mode != before.Mode || after.Uid != uint32(owner) || after.Ino == before.Ino {
		t.Errorf("%+v became %+v", before, after)
	}
}

func stat(t *testing.T, path string) (s syscall.Stat_t) {
	t.Helper()
	if err := syscall.Stat(path, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Links must be resolved as by the operating system.
func TestLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b/deep"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"a/down": "../b/deep", "one": "a/down/../two",
		"b/two": "deep/end"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // first the target is created, then replaced
		if err := Write("one", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile("b/deep/end"); err != nil || string(data) != "x" {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := Remove("one"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat("one"); err != nil {
		t.Error("the link is gone")
	}
	if _, err := os.Lstat("b/deep/end"); err == nil {
		t.Error("the file is still there")
	}
}

func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write to every file")
	}
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("old"), 0o400); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{Check(path), Write(path, []byte("new"))} {
		if err == nil || err.Error() != path+": permission denied" {
			t.Error(err)
		}
	}
}

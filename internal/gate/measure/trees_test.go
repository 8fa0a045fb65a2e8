package measure

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The next gate must remove everything that a killed gate has left, but no directories of a running
// gate and no other worktrees, even on an unmounted disk.
func TestStale(t *testing.T) {
	m := newModule(t)
	r, err := openRepository(t.Context(), m.dir)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := r.resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	begin := func() *trees {
		t.Helper()
		made, err := newTrees(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if err := made.checkOut(t.Context(), head, revision); err != nil {
			t.Fatal(err)
		}
		return made
	}
	away := filepath.Join(t.TempDir(), "mine")
	m.git("worktree", "add", "--quiet", "--detach", away)
	if err := os.Rename(away, away+".away"); err != nil {
		t.Fatal(err)
	}
	killed, gone, living := begin(), begin(), begin()
	for _, dir := range []string{"", "/below"} {
		if err := os.Mkdir(killed.temp+dir+"/read-only", 0o500); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(killed.temp+"/below", 0o700); err != nil && dir == "" {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(gone.dir); err != nil {
		t.Fatal(err)
	}
	if err := gone.home.Abandon(); err != nil {
		t.Fatal(err)
	}
	if err := killed.home.Abandon(); err != nil {
		t.Fatal(err)
	}
	next := begin()
	if _, err := os.Stat(killed.dir); err == nil {
		t.Error("what a killed gate has left is still there")
	}
	for _, made := range []*trees{living, next} {
		if _, err := os.Stat(made.module(head)); err != nil {
			t.Error(err)
		}
		if err := made.remove(); err != nil {
			t.Error(err)
		}
	}
	if list := m.git("worktree", "list"); strings.Contains(list, filepath.Base(gone.dir)) ||
		!strings.Contains(list, away) {
		t.Errorf("git knows of\n%s", list)
	}
	m.git("worktree", "remove", "--force", away)
	m.clean()
}

// The snapshot must contain all uncommitted changes, but no ignored files and no results.
func TestSnapshot(t *testing.T) {
	m := newModule(t)
	m.write(".gitignore", "*.log\n")
	m.write("sub/gone.go", "package m\n")
	m.commit()
	m.write("sub/m.go", "package m // changed\n")
	m.write("sub/new.go", "package m\n")
	m.write("sub/a.log", "")
	m.write("sub/poolbench-out/x/old.txt", "")
	m.write("results/old.txt", "")
	if err := os.Remove(m.dir + "/sub/gone.go"); err != nil {
		t.Fatal(err)
	}
	before := m.git("status", "--porcelain")
	r, err := openRepository(t.Context(), m.dir+"/sub")
	if err != nil {
		t.Fatal(err)
	}
	snap := func() revision {
		t.Helper()
		s, err := r.snapshot(t.Context(), t.TempDir(), m.dir+"/results")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	got := snap()
	if again := snap(); again != got {
		t.Errorf("%+v and then %+v", got, again)
	}
	dir := filepath.Join(t.TempDir(), "put")
	if err := r.writeSnapshot(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	const want = ".gitignore sub/go.mod sub/m.go sub/m_test.go sub/new.go sub/without/w.go"
	if files := filesIn(t, dir); files != want {
		t.Errorf("the snapshot holds\n%s\nwant\n%s", files, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "sub/m.go")); err != nil ||
		string(text) != "package m // changed\n" {
		t.Errorf("m.go is %q, %v", text, err)
	}
	if loose := m.git("fsck", "--unreachable"); loose != "" {
		t.Errorf("objects are left: %s", loose)
	}
	if after := m.git("status", "--porcelain"); after != before {
		t.Errorf("the status was %q and is %q", before, after)
	}
	m.write(".gitignore", "*.log\n/results\n")
	snap()
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(files, " ")
}

package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Only directories of dead processes and old empty directories may be removed.
func TestSweep(t *testing.T) {
	home := t.TempDir()
	t.Setenv("TMPDIR", home)
	begin := func() *ScratchDir {
		t.Helper()
		d, err := NewScratch("", "test")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	living, dead := begin(), begin()
	for _, dir := range []string{"read-only", "read-only/below"} {
		if err := os.Mkdir(filepath.Join(dead.Path, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dead.Path, "read-only"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := dead.Abandon(); err != nil {
		t.Fatal(err)
	}
	away := t.TempDir() // behind a link, with an unlocked lock file
	for _, path := range []string{filepath.Join(away, LockName),
		filepath.Join(home, prefix+"file")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(away, filepath.Join(home, prefix+"link")); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(home, prefix+"old"), filepath.Join(home, prefix+"young")
	filled, linked := filepath.Join(home, prefix+"filled"), filepath.Join(home, prefix+"linked")
	for _, dir := range []string{old, young, filled, linked} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filled, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(away, LockName),
		filepath.Join(linked, LockName)); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-2 * stale)
	for _, dir := range []string{old, filled} {
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	SweepScratch()
	for path, stays := range map[string]bool{living.Path: true, dead.Path: false, away: true,
		filepath.Join(home, prefix+"link"): true, filepath.Join(home, prefix+"file"): true,
		filepath.Join(away, LockName): true, old: false, young: true, filled: true,
		linked: true,
	} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := living.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(living.Path); err == nil {
		t.Error("it was not removed")
	}
}

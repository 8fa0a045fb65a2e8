package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The error must name the process that holds the lock.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	first, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := LockDir(dir); !errors.As(err, &held) ||
		held.By != fmt.Sprintf("pid %d on %s", os.Getpid(), host) {
		t.Errorf("the second: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	// a killed process leaves a file, but no lock
	if err := os.WriteFile(filepath.Join(dir, LockName), []byte("pid 1 on another\nand more\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	second, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
}

// LockDir must retry: a child process may hold the lock of its killed parent until it calls exec.
func TestInherited(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, LockName))
	if err != nil {
		t.Fatal(err)
	}
	if held, err := TryLock(f); err != nil || !held {
		t.Skipf("no locks here: %v, %v", held, err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(inherited/2, func() { _ = f.Close() }) // nothing was written
		d, err := LockDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Release(); err != nil {
			t.Fatal(err)
		}
	})
}

// Two holders must be impossible, even if one removes the file that the other has opened.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	var inside, taken atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := 0; n < 50; {
				d, err := LockDir(dir)
				if held := (*HeldError)(nil); errors.As(err, &held) {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				n++
				if have := inside.Add(1); have != 1 {
					t.Errorf("%d have it", have)
				}
				taken.Add(1)
				inside.Add(-1)
				if err := d.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 200 {
		t.Errorf("taken %d times", n)
	}
}

package workloads_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/workloads"
)

func entries(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if path != dir && d.Name() != ".lock" { // the lock file of the directory's owner
			paths = append(paths, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestFilesAreMadeAndRemoved(t *testing.T) {
	for _, s := range []string{"file_read", "file_read_chunked"} {
		temp, given := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", temp)
		for where, w := range map[string]workloads.Workload{
			temp:  build(t, s+":small=100,large=5000", 1),
			given: build(t, s+":small=100,large=5000,dir="+given, 1),
		} {
			if got := entries(t, where); len(got) != 3 ||
				!strings.HasPrefix(got[0], "poolbench-files-") || got[1] != got[0]+"/large" ||
				got[2] != got[0]+"/small" {
				t.Errorf("%s made %q", s, got)
			}
			for range 2 {
				if err := w.(io.Closer).Close(); err != nil {
					t.Errorf("%s: %v", s, err)
				}
			}
			if got := entries(t, where); len(got) != 0 {
				t.Errorf("%s left %q", s, got)
			}
			if err := w.Do(context.Background(), 1); !errors.Is(err, os.ErrNotExist) &&
				!errors.Is(err, os.ErrClosed) {
				t.Errorf("%s: reading what is closed: %v", s, err)
			}
		}
	}
}

func TestFilesAreDeterministic(t *testing.T) {
	var contents []string
	for seed := range uint64(2) {
		dir := t.TempDir()
		build(t, "file_read:small=1000,large=2000,dir="+dir, seed)
		for _, path := range entries(t, dir)[1:] {
			b, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			contents = append(contents, string(b))
		}
	}
	if len(contents[0]) != 2000 || len(contents[1]) != 1000 || contents[0] != contents[2] ||
		contents[1] != contents[3] {
		t.Error("two workloads made different files")
	}
}

func TestFilesReadConcurrently(t *testing.T) {
	for _, s := range []string{"file_read:p=0.5", "file_read_chunked:p=0.5"} {
		w := build(t, s, 1)
		if w.Mean() <= 0 || w.C2() < 0 {
			t.Errorf("%s: mean %v, C² %v", s, w.Mean(), w.C2())
		}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				for seq := range uint64(50) {
					if err := w.Do(ctx, g*50+seq); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		cancel()
		if err := w.Do(ctx, 1); err != context.Canceled {
			t.Errorf("%s: with an ended context: %v", s, err)
		}
	}
}

func TestFileCutShort(t *testing.T) {
	for _, s := range []string{"file_read", "file_read_chunked"} {
		dir := t.TempDir()
		w := build(t, s+":p=1,small=10,large=100,dir="+dir, 1)
		if err := os.Truncate(filepath.Join(dir, entries(t, dir)[1]), 90); err != nil {
			t.Fatal(err)
		}
		if err := w.Do(context.Background(), 1); !errors.Is(err, io.ErrUnexpectedEOF) &&
			!errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestFilesInNoDirectory(t *testing.T) {
	for _, s := range []string{"file_read", "file_read_chunked"} {
		v, err := parse(s + ":dir=/no/such/directory")
		if err != nil {
			t.Fatal(err)
		}
		if w, err := v.Spec.Build(1, v.Values); !errors.Is(err, os.ErrNotExist) ||
			!strings.HasPrefix(err.Error(), "workload "+s+":dir=/no/such/directory: dir: ") {
			t.Errorf("%v, %v", w, err)
		}
	}
}

func TestImpossibleFiles(t *testing.T) {
	for in, want := range map[string]string{
		"file_read:p=-0.1":  "workload file_read: p: must be between 0 and 1, got -0.1",
		"file_read:p=1.1":   "workload file_read: p: must be between 0 and 1, got 1.1",
		"file_read:small=0": "workload file_read: small: must be positive, got 0",
		"file_read:large=64KiB": "workload file_read: small: must be smaller than large, " +
			"got small=65536 and large=65536",
		"file_read:large=2GiB": "workload file_read: large: must be at most 1GiB, got " +
			"2147483648 bytes",
		"file_read_chunked:small=0": "workload file_read_chunked: small: must be positive, got 0",
		"file_read_chunked:chunk=0": "workload file_read_chunked: chunk: must be between 1 byte " +
			"and 64MiB, got 0 bytes",
		"file_read_chunked:chunk=65MiB": "workload file_read_chunked: chunk: must be between 1 " +
			"byte and 64MiB, got 68157440 bytes",
	} {
		if v, err := parse(in); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v; want the error %s", in, v, err, want)
		}
	}
}

package workloads_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

func TestFileSync(t *testing.T) {
	dir := t.TempDir()
	w := build(t, "file_sync:bytes=100,dir="+dir, 1)
	made := entries(t, dir)
	if len(made) != 2 || !strings.HasPrefix(made[0], "poolbench-files-") {
		t.Fatalf("it made %q", made)
	}
	size := func() int64 {
		info, err := os.Stat(dir + "/" + made[1])
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	for seq := range uint64(3) {
		if err := w.Do(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if grown := size() - before; grown != 300 || w.Mean() <= 0 {
		t.Errorf("three tasks appended %d bytes, want 300; the mean is %v", grown, w.Mean())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Do(ended, 3); err != context.Canceled {
		t.Errorf("with an ended context: %v", err)
	}
	for range 2 {
		if err := w.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
	if left := entries(t, dir); len(left) != 0 {
		t.Errorf("it left %q", left)
	}
	if w.Do(t.Context(), 4) == nil {
		t.Error("a task wrote to a file that is closed")
	}
	for _, bytes := range []string{"0", "2MiB"} {
		if _, err := parse("file_sync:bytes=" + bytes); err == nil {
			t.Errorf("%s bytes are accepted", bytes)
		}
	}
}

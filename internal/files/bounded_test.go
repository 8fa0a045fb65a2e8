package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/poolbench/poolbench/internal/files"
)

func TestReadAll(t *testing.T) {
	for n, long := range map[int]bool{0: false, 1: false, 9: false, 10: false,
		11: true, 5000: true} {
		text := strings.Repeat("x", n)
		for _, r := range []io.Reader{strings.NewReader(text),
			iotest.OneByteReader(strings.NewReader(text)),
			iotest.DataErrReader(strings.NewReader(text))} {
			got, err := files.ReadAll(r, 10)
			if errors.Is(err, files.TooLongError(10)) != long || err != nil && !long ||
				string(got) != text[:min(n, 10)] {
				t.Errorf("%d bytes: read %d, %v", n, len(got), err)
			}
		}
	}
	if _, err := files.ReadAll(iotest.ErrReader(io.ErrUnexpectedEOF), 10); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := files.ReadFile(path, 1<<20+1); err != nil || len(data) != 1<<20+1 {
		t.Error(len(data), err)
	}
	for most, want := range map[int64]string{1 << 20: path + ": it is longer than 1 MiB",
		5: path + ": it is longer than 5 bytes"} {
		if _, err := files.ReadFile(path, most); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := files.ReadFile(path+"?", 5); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestLines(t *testing.T) {
	for text, long := range map[string]bool{"": false, "12345": false, "12345\n12345\n\n1": false,
		"123456": true, "1\n123456": true, "1\n123456\n": true, "12345\n12345\n123456\n1": true} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text),
			"bytes":  iotest.OneByteReader(strings.NewReader(text)),
			"halves": iotest.HalfReader(strings.NewReader(text))} {
			got, err := io.ReadAll(files.Lines(r, 5))
			var tooLong files.TooLongError
			if errors.As(err, &tooLong) != long || !long && string(got) != text {
				t.Errorf("%q in %s: %q, error %v", text, name, got, err)
			}
		}
	}
}

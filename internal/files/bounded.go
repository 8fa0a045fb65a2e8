package files

import (
	"fmt"
	"io"
	"os"
)

// A TooLong is the error for a text beyond its bound, in bytes.
type TooLong int64

func (e TooLong) Error() string {
	if mib := int64(1 << 20); int64(e) >= mib {
		return fmt.Sprintf("it is longer than %d MiB", int64(e)/mib)
	}
	return fmt.Sprintf("it is longer than %d bytes", int64(e))
}

// Reader reads up to most bytes from r. If there are more, the error is TooLong.
func Reader(r io.Reader, most int64) io.Reader { return &reader{from: r, left: most, most: most} }

type reader struct {
	from       io.Reader
	left, most int64
}

func (r *reader) Read(p []byte) (int, error) {
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1] // one more byte detects a longer text
	}
	n, err := r.from.Read(p)
	if int64(n) > r.left {
		n, err = int(r.left), TooLong(r.most)
	}
	r.left -= int64(n)
	return n, err
}

// ReadAll reads everything, up to most bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) { return io.ReadAll(Reader(r, most)) }

// ReadFile reads a file of up to most bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := ReadAll(f, most)
	if _, long := err.(TooLong); long {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, err
}

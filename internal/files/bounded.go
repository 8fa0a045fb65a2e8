package files

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// TooLongError is the exceeded limit in bytes.
type TooLongError int64

func (e TooLongError) Error() string {
	if mib := int64(1 << 20); int64(e) >= mib {
		return fmt.Sprintf("it is longer than %d MiB", int64(e)/mib)
	}
	return fmt.Sprintf("it is longer than %d bytes", int64(e))
}

// If r has more than most bytes, the error is TooLongError.
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
		n, err = int(r.left), TooLongError(r.most)
	}
	r.left -= int64(n)
	return n, err
}

// Lines limits the length of each line, in bytes.
func Lines(r io.Reader, most int64) io.Reader { return &lineReader{from: r, most: most} }

type lineReader struct {
	from io.Reader
	most int64
	long int64 // length of the current line so far
	err  error
}

func (r *lineReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p[:min(int64(len(p)), r.most)])
	rest := p[:n]
	for r.long <= r.most {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			r.long += int64(len(rest))
			break
		}
		r.long += int64(end)
		if r.long <= r.most {
			r.long, rest = 0, rest[end+1:]
		}
	}
	if r.long > r.most {
		n, r.err = 0, fmt.Errorf("a line: %w", TooLongError(r.most))
		err = r.err
	}
	return n, err
}

func ReadAll(r io.Reader, most int64) ([]byte, error) { return io.ReadAll(Reader(r, most)) }

func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := ReadAll(f, most)
	if _, long := err.(TooLongError); long {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, err
}

package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A longer line, without its newline, would end the file for benchfmt.
const maxLine = bufio.MaxScanTokenSize - 1

// A lineFeed passes each line to look before benchfmt.Reader reads it, since benchfmt would
// silently lose samples in unknown or long lines. It returns one line per Read, so text and whole
// describe benchfmt's current record.
type lineFeed struct {
	in   *bufio.Reader
	look func(line int, text []byte) error // an error ends the reading

	name  string
	line  int    // number of the current line, from 1. 0 before the first
	text  []byte // the current line without its newline
	whole bool   // the current line ended in a newline
	rest  []byte // rest of the current line for benchfmt
	err   error  // why the feed ended before the end of the text

	events testEvents
	torn   bool // the last line is half an event
}

func newLineFeed(r io.Reader, name string, look func(int, []byte) error) *lineFeed {
	return &lineFeed{in: bufio.NewReaderSize(r, maxLine+1), look: look, name: name}
}

func (f *lineFeed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.err != nil {
			return 0, io.EOF // the reader of f.err reports it, with its own position
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next returns io.EOF at the end, with the reason, if any, in f.err.
func (f *lineFeed) next() error {
	for {
		if line, ok := f.events.next(); ok {
			return f.passLine(line)
		}
		line, err := f.raw()
		if err != nil {
			return err
		}
		if !testEvent.Match(line) {
			return f.passLine(line)
		}
		if err := f.events.add(line); err != nil {
			if f.torn = !bytes.HasSuffix(line, []byte("\n")); !f.torn {
				return f.fail("%w", err)
			}
			return io.EOF
		}
	}
}

func (f *lineFeed) raw() ([]byte, error) {
	line, err := f.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(line) == 0 {
		return nil, io.EOF
	}
	f.line++
	if f.line == 1 {
		if by, unpack := compression(line); by != "" {
			return nil, f.fail("the file is packed by %s: unpack it first (%s)", by, unpack)
		}
		if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
			return nil, f.fail("the text is UTF-16 (as PowerShell's > writes it): save it as UTF-8")
		}
	}
	switch {
	case err == nil, errors.Is(err, io.EOF):
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, f.tooLong()
	default:
		return nil, f.fail("%w", err)
	}
	if f.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return nil, f.fail("the line contains a NUL byte: not a text file")
	}
	return line, nil
}

func (f *lineFeed) passLine(line []byte) error {
	if len(line) > maxLine+1 { // assembled from several events
		return f.tooLong()
	}
	f.rest = line
	f.text, f.whole = bytes.CutSuffix(line, []byte("\n"))
	f.text = bytes.TrimSuffix(f.text, []byte("\r"))
	if err := f.look(f.line, f.text); err != nil {
		f.rest = nil
		return f.fail("%w", err)
	}
	if len(f.rest) == 0 { // a byte order mark and nothing else
		return io.EOF
	}
	return nil
}

func (f *lineFeed) fail(format string, args ...any) error {
	f.err = f.errorf(format, args...)
	return io.EOF
}

func (f *lineFeed) tooLong() error {
	return f.fail("the line is longer than 64 KiB, which no benchmark output has")
}

func (f *lineFeed) pos() Pos { return Pos{f.name, f.line} }

func (f *lineFeed) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", f.pos(), fmt.Errorf(format, args...))
}

package reports

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line that benchfmt reads, without its newline. It scans with bufio.Scanner's default buffer
// and would end at a longer line as if the file had ended there.
const maxLine = bufio.MaxScanTokenSize - 1

// lineFeed hands a text on to benchfmt.Reader, one line per Read, and shows each line to look before.
//
// benchfmt skips whatever it does not know and stops at a line that is too long; both would lose samples in silence.
// One line per Read also keeps the two in step: while benchfmt's record of a line is looked at, text and whole speak of
// that line.
type lineFeed struct {
	in   *bufio.Reader
	look func(line int, text []byte) error // an error ends the reading

	name  string
	line  int    // number of the current line, from 1; 0 before the first
	text  []byte // the current line without its end
	whole bool   // the current line ended in a newline
	rest  []byte // what benchfmt has not taken of the current line
	err   error  // why the feed ended, other than at the end of the text
}

func newLineFeed(r io.Reader, name string, look func(int, []byte) error) *lineFeed {
	return &lineFeed{in: bufio.NewReaderSize(r, maxLine+1), look: look, name: name}
}

// Read implements io.Reader.
func (f *lineFeed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.err != nil {
			return 0, io.EOF // reported by whoever asks for f.err, with its own position
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *lineFeed) next() error {
	line, err := f.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(line) == 0 {
		return io.EOF
	}
	f.line++
	switch {
	case err == nil, errors.Is(err, io.EOF):
	case errors.Is(err, bufio.ErrBufferFull):
		f.err = f.errorf("the line is longer than 64 KiB, which no benchmark output has")
		return io.EOF
	default:
		f.err = f.errorf("%w", err)
		return io.EOF
	}
	if f.line == 1 {
		if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
			f.err = f.errorf("the text is UTF-16 (as PowerShell's > writes it); save it as UTF-8")
			return io.EOF
		}
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if bytes.IndexByte(line, 0) >= 0 {
		f.err = f.errorf("the line holds a NUL byte: not a text file")
		return io.EOF
	}
	f.rest = line
	f.text, f.whole = bytes.CutSuffix(line, []byte("\n"))
	f.text = bytes.TrimSuffix(f.text, []byte("\r"))
	if err := f.look(f.line, f.text); err != nil {
		f.err, f.rest = f.errorf("%w", err), nil
		return io.EOF
	}
	if len(f.rest) == 0 { // a byte order mark and nothing else
		return io.EOF
	}
	return nil
}

func (f *lineFeed) pos() Pos { return Pos{f.name, f.line} }

// errorf is an error at the current line.
func (f *lineFeed) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", f.pos(), fmt.Errorf(format, args...))
}

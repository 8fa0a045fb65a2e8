package terminal

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// An output is standard output with a memory: its first error sticks until the end of the command,
// also where a caller such as cobra's help does not look. A closed pipe is no error: its reader has
// seen enough, as `poolbench list | head` shows.
type output struct {
	to     io.Writer
	err    error
	closed bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.closed {
		return len(p), nil
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		o.closed = true
		return len(p), nil
	}
	if err != nil {
		o.err = fmt.Errorf("%w: %w", ErrStdout, err)
		return n, o.err
	}
	return n, nil
}

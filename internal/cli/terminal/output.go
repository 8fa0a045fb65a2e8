package terminal

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// output keeps its first error until the command ends, because callers such as cobra's help ignore
// errors. A closed pipe is not an error, as in `poolbench list | head`.
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

//go:build !unix

package attack

import "syscall"

// canPeek: no connection can be asked here whether it still stands, so that an open loop, which
// leaves them idle, leaves them to net/http.
const canPeek = false

func quiet(syscall.RawConn) bool { return true }

// A connTurn does nothing here.
type connTurn struct{}

// Do is not called.
func (connTurn) Do(
	*trackedConn, syscall.RawConn, []byte, []byte,
) (wrote int, came []byte, err error) {
	return 0, nil, nil
}

//go:build !unix

package attack

import "syscall"

// No connection can be tested here for being open, so an open loop, which leaves connections idle,
// uses net/http.
const canPeek = false

func quiet(syscall.RawConn) bool { return true }

type connTurn struct{}

func (connTurn) Do(
	*trackedConn, syscall.RawConn, []byte, []byte,
) (wrote int, came []byte, err error) {
	return 0, nil, nil
}

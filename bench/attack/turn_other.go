//go:build !unix

package attack

import "syscall"

// canPeek: no connection can be asked here whether it still stands, so that an open loop, which
// leaves them idle, leaves them to net/http.
const canPeek = false

func quiet(syscall.RawConn) bool { return true }

// A Turn does nothing here.
type Turn struct{}

// Do is not called.
func (Turn) Do(*Conn, syscall.RawConn, []byte, []byte) (wrote int, came []byte, err error) {
	return 0, nil, nil
}

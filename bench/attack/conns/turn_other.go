//go:build !unix

package conns

import "syscall"

// CanPeek: no connection can be asked here whether it still stands, so that an open loop, which
// leaves them idle, leaves them to net/http.
const CanPeek = false

func Quiet(syscall.RawConn) bool { return true }

// A Turn does nothing here.
type Turn struct{}

// Do is not called.
func (Turn) Do(*Conn, syscall.RawConn, []byte, []byte) (wrote int, came []byte, err error) {
	return 0, nil, nil
}

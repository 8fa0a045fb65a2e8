//go:build !unix

package attack

import "syscall"

// canPeek: no connection can be asked here whether it still stands, so that an open loop, which
// leaves them idle, leaves them to net/http.
const canPeek = false

func quiet(syscall.RawConn) bool { return true }

package attack

import (
	"context"
	"net"
)

// Virtual makes the attack run in a bubble, against the server behind dial.
func (a Attack) Virtual(
	dial func(ctx context.Context, network, address string) (net.Conn, error),
) Attack {
	a.dial, a.virtual = dial, true
	return a
}

// RetryAfter is retryAfter.
var RetryAfter = retryAfter

// ErrorKind is errorKind.
var ErrorKind = errorKind

// CheckRequest is checkRequest.
var CheckRequest = checkRequest

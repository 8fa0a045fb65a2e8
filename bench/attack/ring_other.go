//go:build !linux

package attack

// A ring does not exist here: each client has a goroutine.
type ring struct{}

type flight struct{}

func (*closedLoop) rings() (rings []*ring, end func()) { return nil, func() {} }

func (*ring) takeOver(*client) bool { return false }

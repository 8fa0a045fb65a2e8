//go:build !unix

package machine

// Descriptors returns 0: the limit is unknown on this system.
func Descriptors() (limit, free int) { return 0, 0 }

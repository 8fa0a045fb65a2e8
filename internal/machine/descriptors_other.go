//go:build !unix

package machine

// Descriptors returns 0, because the limit is unknown on this system.
func Descriptors() (limit, free int) { return 0, 0 }

//go:build !unix

package files

import "os"

// The directory for temporary files belongs to the user on this system.
func isMine(os.FileInfo) bool { return true }

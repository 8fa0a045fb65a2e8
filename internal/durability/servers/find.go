package servers

import (
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
)

func missing(product, program, pkg string) error {
	return fmt.Errorf("%s is not installed: there is no program %s (apt-get install %s)",
		product, program, pkg)
}

// freePort finds one outside the range that systems give to outgoing connections: a server that is
// started again must not find one of its own clients there, which has connected to itself.
func freePort(taken []int) (int, error) {
	var err error
next:
	for range 100 {
		port := 15000 + mathrand.IntN(15000)
		for _, t := range taken {
			if t == port {
				continue next
			}
		}
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// findProgram looks in the PATH, after the directories that match the patterns.
func findProgram(name string, patterns ...string) (string, bool) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(pattern, name)) // the patterns are well-formed
		if len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	path, err := exec.LookPath(name)
	return path, err == nil
}

package servers

import (
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

func (k Kind) missing(program string) error {
	return fmt.Errorf("%s is not installed: there is no program %s (apt-get install %s)",
		k.Product, program, k.Package)
}

// With a port in the range of outgoing connections, a client of a restarting server could occupy
// the port by connecting to itself.
func freePort(taken []int) (int, error) {
	var err error
	for range 100 {
		port := 15000 + mathrand.IntN(15000)
		if slices.Contains(taken, port) {
			continue
		}
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// program looks in directories that match the patterns before PATH.
func (k Kind) program(name string, patterns ...string) (string, error) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(pattern, name)) // the pattern is valid
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		err = k.missing(name)
	}
	return path, err
}

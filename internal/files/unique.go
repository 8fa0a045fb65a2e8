//go:build !js

package files

import (
	"crypto/rand"
	"io"
	"net"
)

func besideName() string { return ".poolbench-" + rand.Text() }

func openSocket(path string) (io.WriteCloser, error) { return net.Dial("unix", path) }

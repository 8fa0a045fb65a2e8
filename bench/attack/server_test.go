package attack_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// servingVariable makes a child of this test binary a server that answers at once, until its
// standard input ends.
const servingVariable = "POOLBENCH_TEST_SERVER"

func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = server.Serve(listener) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

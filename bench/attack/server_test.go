package attack_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
)

// servingVariable makes a child of this test binary a server that answers at once, by http or
// https, until its standard input ends.
const servingVariable = "POOLBENCH_TEST_SERVER"

func serve() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) {}))
	if os.Getenv(servingVariable) == "https" {
		server.StartTLS()
	} else {
		server.Start()
	}
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

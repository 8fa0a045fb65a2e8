package attack_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// servingVariable makes the test binary an http or https server until its standard input ends. The
// prefix slow delays answers by 3 s.
const servingVariable = "POOLBENCH_TEST_SERVER"

func serve() {
	scheme, slow := strings.CutPrefix(os.Getenv(servingVariable), "slow")
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) {
			if slow {
				time.Sleep(3 * time.Second)
			}
		}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetHTTP2(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	if server.EnableHTTP2 = true; scheme == "https" {
		server.StartTLS()
	} else {
		server.Start()
	}
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

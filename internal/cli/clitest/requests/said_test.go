package requests

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	var n atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		switch r.URL.Path {
		case "/full":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprintf(w, "{\"error\": \"no\x1b[31m room for %s\"}\n",
				r.Header.Get("Authorization"))
		case "/closing":
			if n.Add(1)%10 == 0 {
				panic(http.ErrAbortHandler)
			}
		}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 8}
	server.Start()
	defer server.Close()
	shown := func(out string, args ...string) string {
		o := clitest.Command(t, append([]string{"attack", "--n", "45", "--quiet",
			"--name", "shop", "--header", "Authorization: Bearer geheim", "--out", out}, args...)...)
		all := strings.Join(strings.Fields(o.Stdout), " ")
		if strings.Contains(all+o.Stderr, "geheim") {
			t.Errorf("%q: a secret is in %s%s", args, o.Stdout, o.Stderr)
		}
		return all
	}
	const said = `no\u001b[31m room for …`
	for out, args := range map[string][]string{"one": {"--rate", "500"}, "clients": {"--clients", "2"},
		"agents": {"--agents", "2", "--rate", "500"}} {
		all := shown(out, append([]string{server.URL + "/full"}, args...)...)
		want := regexp.MustCompile(`shop: status 503, first by request \d+: \{"error": "` +
			regexp.QuoteMeta(said) + "\"\\} Further failures: " + out + `/failures.json`)
		if !want.MatchString(all) {
			t.Errorf("%s: %s", out, all)
		}
		if kept := clitest.Read(t, out+"/failures.json"); strings.Contains(kept, "geheim") ||
			!strings.Contains(kept, `no\\u001b[31m room for …`) {
			t.Errorf("%s: kept are %s", out, kept)
		}
		if page := clitest.Read(t, out+"/report.html"); strings.Contains(page, "geheim") ||
			!strings.Contains(page, said) {
			t.Errorf("%s: the page does not show it", out)
		}
	}
	// every tenth request, including retries
	for args, want := range map[string]string{"": "retried on a fresh connection: 4, status 200 × 45",
		"--resend=false": "status 200 × 41, EOF × 4"} {
		n.Store(0)
		all := shown("closing"+args, strings.Fields(server.URL+"/closing --rate 500 --connections 1 "+args)...)
		if !strings.Contains(all, want) {
			t.Errorf("%s: %s, want %s", args, all, want)
		}
	}
	if all := shown("h2", server.URL+"/", "--http2", "--rate", "500"); !strings.Contains(all,
		"HTTP/2 in the clear, the server allows 8 streams on a connection, status 200 × 45") {
		t.Error(all)
	}
}

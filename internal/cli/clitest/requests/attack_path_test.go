package requests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
)

func overOf(t *testing.T, args ...string) string {
	t.Helper()
	o := clitest.Attacked(t, append([]string{"attack", "--n", "20", "--quiet", "--force", "--out", "r",
		"--format", "json"}, args...)...)
	var doc struct{ Runs []show.RunLine }
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Runs) != 1 ||
		doc.Runs[0].Statuses[0].What != "200" || doc.Runs[0].Statuses[0].N != 20 {
		t.Fatalf("%q: %v\n%s", args, err, o.Stdout)
	}
	return doc.Runs[0].Over
}

// With any flags, attack must use its own connections. Only proxies need net/http, which is three
// times slower.
func TestAttackStaysOnItsOwnConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}
	})
	plain, secure := httptest.NewServer(h), httptest.NewTLSServer(h)
	defer plain.Close()
	defer secure.Close()
	clitest.Write(t, "body", strings.Repeat("x", 100_000))
	clitest.Write(t, "targets", "GET "+plain.URL+"/1\nPOST "+plain.URL+"/2\n@body\n")
	withPassword := strings.Replace(plain.URL, "//", "//me:secret@", 1)
	for _, line := range append([]string{
		plain.URL + " --rate 2000", plain.URL + " --clients 4", withPassword + " --clients 4",
		plain.URL + "/moved --rate 2000", plain.URL + " --clients 4 --connections 2",
		plain.URL + " --rate 2000 --connections 1", plain.URL + " --clients 4 --redirects 0",
		plain.URL + " --clients 4 --method POST --body @body --header X-A:1 --header Host:h.test",
		"--targets targets --clients 4", plain.URL + " --rate 2000 --max-in-flight unlimited",
		plain.URL + " --rate 2000 --timeout 9s --drain 9s --resend --seed 3 --name n",
		plain.URL + " --rate 2000 --strategy semaphore --limit 3",
		plain.URL + " --rate 2000 --arrival poisson --soak",
		plain.URL + " --clients 4 --vegeta v.bin",
	}, plain.URL+" --rate 2000 --agents 2") {
		if over := overOf(t, strings.Fields(line)...); over != "" {
			t.Errorf("%s: %s", line, over)
		}
	}
	for _, line := range []string{secure.URL + " --clients 4",
		secure.URL + "/moved --rate 2000", secure.URL + " --clients 4 --connections 2"} {
		if over := overOf(t, append(strings.Fields(line), "--insecure")...); over !=
			"HTTP/1.1 over TLS 1.3" {
			t.Errorf("%s: %s", line, over)
		}
	}
}

func TestAttackByProxy(t *testing.T) {
	t.Chdir(t.TempDir())
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "http://shop.test/" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer proxy.Close()
	cmd := clitest.Process(t, []string{"HTTP_PROXY=" + proxy.URL, "NO_PROXY="}, "attack",
		"http://shop.test/", "--clients", "2", "--n", "10", "--quiet")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "shop.test: by net/http, since the "+
		"environment defines a proxy, status 200 × 10\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAttackDefaults(t *testing.T) {
	var got options.AttackOptions
	cmd := &cobra.Command{}
	options.AddAttackFlags(cmd, &got)
	if err := got.Read(nil, cmd, []string{"http://h/"}); err != nil {
		t.Fatal(err)
	}
	all, err := got.Attacks()
	if err != nil {
		t.Fatal(err)
	}
	want := attack.Defaults()
	want.Arrival, want.Timeout, want.Drain = arrivals.MustParse("constant"),
		attack.DefaultTimeout, attack.DefaultDrain // defaults, which replace zeroes
	want.Requests = []attack.Request{{Method: http.MethodGet, URL: "http://h/",
		Header: http.Header{}}}
	sent, defaults := fmt.Sprintf("%+v", all[0].Encode()), fmt.Sprintf("%+v", want.Encode())
	if sent != defaults {
		t.Errorf("the command sends\n%s, the defaults are\n%s", sent, defaults)
	}
}

package attack_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// The client must keep as much of an answer as with net/http.
func TestKept(t *testing.T) {
	body := func(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/?n=70", http.StatusFound)
			return
		}
		n, _ := strconv.Atoi(r.FormValue("n"))
		w.Header().Add("X-Of", "one")
		w.Header().Add("X-Of", "two")
		switch r.FormValue("how") {
		case "chunks":
			w.(http.Flusher).Flush()
		case "trailer":
			w.Header().Set("Trailer", "X-End")
			defer w.Header().Set("X-End", "yes")
		default:
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		_, _ = w.Write(body(n))
	}))
	defer server.Close()
	for target, want := range map[string]int{
		"/?n=0": 0, "/?n=7": 7, "/?n=4096": 4096, "/?n=5000": 5000, "/?n=200000": 200000,
		"/?n=" + strconv.Itoa(checks.MaxBody):   checks.MaxBody,
		"/?n=" + strconv.Itoa(checks.MaxBody+1): checks.MaxBody + 1,
		"/?n=3000000":                           3000000,
		"/?n=9&how=chunks":                      9, "/?n=90000&how=chunks": 90000, "/?n=3000000&how=chunks": 3000000,
		"/?n=9&how=trailer": 9, "/from": 70,
	} {
		a := attack.Defaults()
		a.Requests = []attack.Request{{Method: http.MethodGet, URL: server.URL + target}}
		for by, a := range map[string]attack.Attack{"wires": a, "net/http": a.ByNetHTTP()} {
			got := a.Keep(t.Context(), checks.Needs{Head: true, Body: checks.MaxBody})
			if got == nil {
				t.Errorf("%s by %s: nothing was kept", target, by)
				continue
			}
			most := min(want, checks.MaxBody)
			if !bytes.Equal(got.Body, body(most)) || got.Cut != (want > most) {
				t.Errorf("%s by %s: %d bytes were kept, cut %v, of %d", target, by,
					len(got.Body), got.Cut, want)
			}
			if v := got.Value("x-of"); v != "one, two" {
				t.Errorf("%s by %s: X-Of is %q", target, by, v)
			}
			if v := got.Value("x-o"); v != "" {
				t.Errorf("%s by %s: X-O is %q", target, by, v)
			}
			if got := a.Keep(t.Context(), checks.Needs{}); got != nil {
				t.Errorf("%s by %s: %v was kept, and nothing is wanted", target, by, got)
			}
		}
	}
}

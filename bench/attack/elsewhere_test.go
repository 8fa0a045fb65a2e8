package attack_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
)

// A redirect to another host must drop all user headers, and a redirect back must not restore them.
func TestElsewhere(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	note := func(r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(r.URL.Path, " ", len(r.Header["X-Api-Sig"]),
			len(r.Header["Authorization"]), len(r.Header["Cookie"]), len(r.Header["Accept"]),
			strings.Contains(r.Referer(), "s3cret"), " ", r.Header.Get("Content-Type"),
			string(body),
			err))
	}
	var here string
	elsewhere := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		note(r)
		http.Redirect(w, r, here+"/back", http.StatusTemporaryRedirect)
	}))
	elsewhere.EnableHTTP2 = true
	elsewhere.StartTLS()
	defer elsewhere.Close()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		note(r)
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/same", http.StatusTemporaryRedirect)
		case "/same":
			http.Redirect(w, r, elsewhere.URL+"/there", http.StatusTemporaryRedirect)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	here = server.URL
	want := "[/ 1 1 1 1 false text/plainb<nil> /same 1 1 1 1 true text/plainb<nil> " +
		"/there 0 0 0 0 false text/plainb<nil> /back 0 0 0 0 false text/plainb<nil>]"
	a := attack.Attack{Clients: 1, Tasks: 1, Redirects: 5, Insecure: true,
		Requests: []attack.Request{{
			Method: "POST", URL: server.URL + "/?sig=s3cret", Body: []byte("b"),
			Header: http.Header{
				"X-Api-Sig": {"s3cret"}, "Authorization": {"Bearer s3cret"}, "Cookie": {"a=s3cret"},
				"Accept": {"*/*"}, "Content-Type": {"text/plain"}}}}}
	multiplexed := a
	multiplexed.HTTP2 = true
	for name, a := range map[string]attack.Attack{"wires": a, "net/http": a.ByNetHTTP(),
		"HTTP/2": multiplexed} {
		seen = nil
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(seen); got != want {
			t.Errorf("%s: the servers have seen\n%s, want\n%s (%v)", name, got, want, r.Errors)
		}
	}
}

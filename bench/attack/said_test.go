package attack_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// The first answers of each failed status must be kept, readable and without secrets.
func TestSaid(t *testing.T) {
	const token, basic = "geheim-4711", "geheim-user:geheim-word"
	mux := http.NewServeMux()
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"the pool of connections is empty"}`)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "upstream said no to "+r.Header.Get("Authorization")+" "+
			r.Header.Get("X-Basic")+" "+r.URL.RawQuery+" "+string(body)+
			" proxy-authorization: Bearer geheim-other")
	})
	mux.HandleFunc("/binary", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("a\x00\x1b[31m\xff\xfe\u202e" + strings.Repeat("\x80", 100_000)))
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("no such thing ", 1000))); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond) // leave the processors to the clients
		}
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)

	ways := map[string]func(a attack.Attack) attack.Attack{
		"open":     func(a attack.Attack) attack.Attack { return a },
		"clients":  func(a attack.Attack) attack.Attack { a.Clients, a.Rate = 2, 0; return a },
		"agents":   func(a attack.Attack) attack.Attack { return a },
		"net/http": attack.Attack.ByNetHTTP,
		"HTTP/2":   func(a attack.Attack) attack.Attack { a.H2C = true; return a },
		"session": func(a attack.Attack) attack.Attack {
			r, text := a.Requests[0], "name: s\nsteps:\n- name: one\n  method: POST\n  headers:\n"
			for name := range r.Header {
				text += "    " + name + ": " + r.Header.Get(name) + "\n"
			}
			return a.WithSession(session(t, text+"  url: "+r.URL+"\n  body: "+string(r.Body)+"\n"))
		},
	}
	for path, want := range map[string]struct{ what, text string }{
		"/json":    {"status 503", `{"error":"the pool of connections is empty"}`},
		"/echo":    {"status 502", "upstream said no to … … x=… token=… proxy-authorization: Bearer …"},
		"/binary":  {"status 500", `a\u0000\u001b[31m\xff\xfe\u202e\x80\x80`},
		"/endless": {"no answer in time", "no such thing no such thing"},
	} {
		for name, way := range ways {
			t.Run(name+path, func(t *testing.T) {
				if testing.Short() && path == "/endless" && name != "open" && name != "HTTP/2" {
					t.Skip("long: skipped with -short")
				}
				t.Parallel()
				a := attack.Defaults()
				a.Requests = []attack.Request{{Method: "POST", URL: server.URL + path + "?x=" + token,
					Body: []byte("token=" + token), Header: http.Header{
						"Content-Type":  {"application/x-www-form-urlencoded"},
						"Authorization": {"Bearer " + token},
						"X-Basic":       {base64.StdEncoding.EncodeToString([]byte(basic))}}}}
				a.Tasks, a.Duration, a.Rate = 8, 0, 500
				least := checks.MaxBodies
				if path == "/endless" { // on a busy machine an answer may not start in time
					a.Tasks, a.Timeout, least = 4, time.Second, 1
				}
				agents := 0
				if name == "agents" {
					agents = 2
				}
				r := byAgents(t, way(a), agents)
				what := want.what
				if name == "session" && strings.HasPrefix(what, "status") {
					what = "one: " + what
				}
				if len(r.Failures) != 1 || r.Failures[0].What != what ||
					len(r.Failures[0].Bodies) < least || len(r.Failures[0].Bodies) > checks.MaxBodies {
					t.Fatalf("kept are %.3000s", fmt.Sprint(r.Failures))
				}
				for _, b := range r.Failures[0].Bodies {
					if !strings.HasPrefix(b.Text, want.text) || len(b.Text) > 2<<10 ||
						b.Cut != (path == "/binary" || path == "/endless") ||
						!utf8.ValidString(b.Text) || strings.ContainsAny(b.Text, "\x00\x1b") {
						t.Errorf("%.300q, cut %v, want %q", b.Text, b.Cut, want.text)
					}
					if strings.Contains(b.Text, "geheim") {
						t.Errorf("a secret is in %q", b.Text)
					}
				}
			})
		}
	}
}

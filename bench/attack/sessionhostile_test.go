package attack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/strategies"
)

// sessionWays are the protocols that can send sessions.
var sessionWays = map[string]func(attack.Attack) attack.Attack{
	"wires":    func(a attack.Attack) attack.Attack { return a },
	"net/http": attack.Attack.ByNetHTTP,
	"h2c":      func(a attack.Attack) attack.Attack { a.H2C = true; return a },
	"http2":    func(a attack.Attack) attack.Attack { a.HTTP2, a.Insecure = true, true; return a },
	"clients":  func(a attack.Attack) attack.Attack { a.Clients, a.Rate = 1, 0; return a },
}

// startServerFor returns the URL of a server for the given protocol.
func startServerFor(t *testing.T, way string, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	t.Cleanup(server.Close)
	if way == "http2" {
		server.EnableHTTP2 = true
		server.StartTLS()
		return server.URL
	}
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	return server.URL
}

// A captured value must stay inside its field, or the request must not be sent.
func TestHostileCaptures(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	const steps = `
- url: HOST/give
  capture: v = json:.v
- url: HOST/path/{{v}}/end?q={{v}}
- url: HOST/body
  headers: {Content-Type: application/json}
  body: '{"a": "{{v}}", "b": {{v}}}'
- url: HOST/form
  headers: {Content-Type: application/x-www-form-urlencoded}
  body: a={{v}}&b=1
- url: HOST/full?{{if v}}a={{printf "%s" v}}{{end}}
- url: HOST/header
  headers: {X-V: "{{v}}"}
- url: HOST/{{raw v}}
`
	for _, hostile := range []struct {
		value string
		sent  int    // number of the seven requests that are sent
		why   string // error that ends the session
	}{
		{"plain-secret-5f1c", 7, ""},
		{"a&b=2#c?d/e f\"g'h\\i%2e%0a<script>", 7, ""},
		{"x\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n", 5,
			"header X-V: a filled-in value has a line break or another control character"},
		{"nul\x00and\x7f", 5, "header X-V: a filled-in value has a line break or another control " +
			"character"},
		{`", "admin": true, "x": "`, 7, ""},
		{"{{seq}}{{v}}-template", 7, ""},
		{"..", 1, `URL: a filled-in value makes "…" a segment of its path`},
		{"../../admin", 6, `URL: a filled-in value makes "…" a segment of its path`},
		{strings.Repeat("long-", 20_000), 1, "check failed: step_1: capture v: it is longer than 64 KiB"},
		{strings.Repeat("long-", 2_000_000), 1, "check failed: step_1: capture v: it is not in the " +
			"first 1 MiB of the body: raise --check-bytes"},
	} {
		for name, way := range sessionWays {
			t.Run(fmt.Sprintf("%s %.20q", name, hostile.value), func(t *testing.T) {
				v := hostile.value
				var mu sync.Mutex
				var seen []string
				complain := func(format string, args ...any) {
					t.Errorf(format, args...)
				}
				host := startServerFor(t, name, func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					seen = append(seen, r.URL.Path)
					body, _ := io.ReadAll(r.Body)
					if r.Header.Get("X-Evil") != "" {
						complain("a header was split: %q", r.Header)
					}
					switch len(seen) {
					case 1:
						_ = json.NewEncoder(w).Encode(map[string]string{"v": v})
					case 2:
						escaped := strings.Split(r.URL.EscapedPath(), "/")
						path, err := url.PathUnescape(escaped[2])
						if len(escaped) != 4 || err != nil || path != v ||
							r.URL.Query().Get("q") != v || len(r.URL.Query()) != 1 {
							complain("got %s", r.URL)
						}
					case 3:
						var got map[string]any
						if err := json.Unmarshal(body, &got); err != nil || len(got) != 2 ||
							got["a"] != v || got["b"] != v {
							complain("got %s", body)
						}
					case 4:
						got, err := url.ParseQuery(string(body))
						if err != nil || got.Get("a") != v || len(got) != 2 || got.Get("b") != "1" {
							complain("got %s", body)
						}
					case 5:
						if r.URL.Query().Get("a") != v || len(r.URL.Query()) != 1 {
							complain("got %s", r.URL)
						}
					case 6:
						if r.Header.Get("X-V") != v {
							complain("got %q", r.Header.Get("X-V"))
						}
					}
				})
				a := way(attack.Attack{Templates: true, Tasks: 1, Rate: 100}.WithSession(
					session(t, "steps:"+strings.ReplaceAll(steps, "HOST", host))))
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				if len(seen) != hostile.sent || len(r.Broken) > 0 {
					t.Errorf("the server has %q, want %d requests; broken %q", seen, hostile.sent,
						r.Broken)
				}
				if why := ""; len(r.Errors) > 0 {
					if why = r.Errors[0].What; why != hostile.why {
						t.Errorf("it ended with %q, want %q", why, hostile.why)
					}
				} else if hostile.why != "" {
					t.Errorf("it has not ended with %q", hostile.why)
				}
				if left := metric(t, r, "step7-step_7-unsent/op"); (left == 0) !=
					(hostile.sent >= 6) {
					t.Errorf("%v of the last step was not sent", left)
				}
				if len(v) > 3 && len(v) < 100 {
					checkNoSecrets(t, r, v, v[len(v)/2:])
				}
			})
		}
	}
}

func checkNoSecrets(t *testing.T, r *attack.Report, secrets ...string) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if bytes.Contains(text, []byte(s)) {
			t.Errorf("%q is in %s", s, text)
		}
	}
}

// No output may contain captured values or cookies, even if the server repeats them or the step
// fails.
func TestSecretsOfSessions(t *testing.T) {
	t.Parallel()
	const token, cookie = "5f1c-captured-77aa", "c00kie-9b3d"
	for name, way := range sessionWays {
		for _, fails := range []string{"check", "status", "reset", "refused"} {
			t.Run(name+" "+fails, func(t *testing.T) {
				host := startServerFor(t, name, func(w http.ResponseWriter, r *http.Request) {
					c, _ := r.Cookie("sid")
					switch {
					case r.URL.Path == "/give":
						http.SetCookie(w, &http.Cookie{Name: "sid", Value: cookie})
						fmt.Fprintf(w, `{"v": %q, "w": "%s", "sid": %q}`, token, token, cookie)
					case c == nil || c.Value != cookie || !strings.Contains(r.URL.String(), token):
						t.Errorf("got %s with %v", r.URL, c)
					case fails == "reset":
						panic(http.ErrAbortHandler)
					case fails == "refused":
						w.WriteHeader(http.StatusServiceUnavailable)
						fallthrough
					default:
						if fails == "status" {
							w.WriteHeader(http.StatusInternalServerError)
						}
						fmt.Fprintf(w, "no %s for %s", r.URL, c.Value)
					}
				})
				a := attack.Attack{Templates: true, Tasks: 3, Rate: 100}.WithSession(session(t,
					"steps:\n- url: "+host+"/give\n  capture: v = json:.v\n- url: "+host+
						"/use/{{v}}?v={{v}}\n  check: body contains fine\n"))
				if fails == "check" {
					for i := range a.Session.Steps { // step 0 fails; its answer has the token
						a.Session.Steps[i].Checks = checkList(t, "json .x exists")
					}
				}
				var file bytes.Buffer
				letters := new(strategies.DeadLetterList)
				if a.Vegeta = &file; fails == "refused" && name != "clients" {
					a.Strategy, a.DeadLetters = strategy(t, "retry_queue"), letters
				}
				r, err := attack.Run(t.Context(), way(a))
				if err != nil {
					t.Fatal(err)
				}
				if completed := metric(t, r, "session-failed/op"); completed != 1 {
					t.Errorf("%v of the sessions failed", completed)
				}
				if fails == "check" || fails == "status" {
					if len(r.Failures) == 0 {
						t.Error("no body is kept")
					}
				}
				checkNoSecrets(t, r, token, cookie)
				kept, err := json.Marshal(letters.All())
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []string{token, cookie} {
					if bytes.Contains(file.Bytes(), []byte(s)) || bytes.Contains(kept, []byte(s)) {
						t.Errorf("%s is in the letters %s or in vegeta's file", s, kept)
					}
				}
			})
		}
	}
}

func TestCookiesOfSessions(t *testing.T) {
	t.Parallel()
	for name, way := range sessionWays {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string
			host := startServerFor(t, name, func(w http.ResponseWriter, r *http.Request) {
				n := r.URL.Query().Get("n")
				set := func(name string) {
					http.SetCookie(w, &http.Cookie{Name: name, Value: name + n, Path: "/"})
				}
				var cookies []string
				for _, c := range r.Cookies() {
					cookies = append(cookies, c.String())
				}
				slices.Sort(cookies)
				mu.Lock()
				seen = append(seen, fmt.Sprint(n, r.URL.Path, cookies))
				mu.Unlock()
				switch r.URL.Path {
				case "/from":
					set("from")
					http.Redirect(w, r, "/over?n="+n, http.StatusFound)
				case "/over":
					set("over")
					http.Redirect(w, r, "/to?n="+n, http.StatusSeeOther)
				case "/to":
					set("to")
				case "/drop":
					http.SetCookie(w, &http.Cookie{Name: "over", Path: "/", MaxAge: -1})
				}
			})
			text := "steps:\n"
			for _, path := range []string{"from", "see", "drop", "end"} {
				text += "- url: " + host + "/" + path + "?n={{session}}\n"
			}
			a := way(attack.Attack{Templates: true, Tasks: 3, Rate: 1000, Redirects: 5}.WithSession(
				session(t, text)))
			r, err := attack.Run(t.Context(), a)
			if err != nil || len(r.Broken) > 0 {
				t.Fatal(err, r.Broken)
			}
			var want []string
			for n := range 3 {
				with := func(path string, names ...string) {
					var cookies []string
					for _, c := range names {
						cookies = append(cookies, fmt.Sprintf("%s=%[1]s%d", c, n))
					}
					want = append(want, fmt.Sprint(n, path, cookies))
				}
				with("/from")
				with("/over", "from")
				with("/to", "from", "over")
				with("/see", "from", "over", "to")
				with("/drop", "from", "over", "to")
				with("/end", "from", "to")
			}
			slices.Sort(seen)
			slices.Sort(want)
			if !slices.Equal(seen, want) {
				t.Errorf("got %q, want %q", seen, want)
			}
		})
		for _, c := range []struct {
			n, size int
			want    string
		}{{50, 4000, ""}, {51, 1, "check failed: step_1: cookies (there are more than 50 cookies)"},
			{1, 4096, "check failed: step_1: cookies (a cookie is longer than 4 KiB)"}} {
			t.Run(fmt.Sprint(name, " ", c.n, " of ", c.size), func(t *testing.T) {
				host := startServerFor(t, name, func(w http.ResponseWriter, r *http.Request) {
					for i := range c.n {
						if r.URL.Path == "/set" {
							http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%02d", i),
								Value: strings.Repeat("x", c.size)})
						}
					}
				})
				a := way(attack.Attack{Templates: true, Tasks: 1, Rate: 100}.WithSession(session(t,
					"steps: [{url: "+host+"/set}, {url: "+host+"/}]")))
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				if got := append(r.Errors, attack.Count{})[0].What; got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		}
	}
}

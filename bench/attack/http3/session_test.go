package http3_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/sessions"
)

// Each session must have its own cookies and captured values, and send each step once.
func TestSessions(t *testing.T) {
	const n = 12
	for name, way := range map[string]func(attack.Attack) attack.Attack{
		"alone":   func(a attack.Attack) attack.Attack { return a },
		"soak":    func(a attack.Attack) attack.Attack { a.Soak = true; return a },
		"clients": func(a attack.Attack) attack.Attack { a.Clients, a.Rate = 3, 0; return a },
		"agents":  func(a attack.Attack) attack.Attack { a.Agents = 2; return a },
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string
			_, address := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				body, _ := io.ReadAll(r.Body)
				cookie := ""
				if c, err := r.Cookie("sid"); err == nil {
					cookie = c.Value
				}
				mu.Lock()
				seen = append(seen, fmt.Sprintf("%s %s %s", r.URL.RequestURI(), cookie, body))
				mu.Unlock()
				switch id := r.URL.Query().Get("n"); r.URL.Path {
				case "/in":
					http.SetCookie(w, &http.Cookie{Name: "sid", Value: "c" + id})
					http.Redirect(w, r, "/home?n="+id, http.StatusSeeOther)
				case "/home":
					w.Header().Set("X-Order", "o"+id)
					_, _ = fmt.Fprintf(w, `{"token": "t%s"}`, id)
				}
			})
			s, err := sessions.ReadScript("s.yaml", []byte("steps:\n- url: https://"+address+
				"/in?n={{session}}\n  capture: [\"t = json:.token\", \"o = header:X-Order\"]\n"+
				"- {url: \"https://"+address+"/buy/{{o}}\", method: POST, body: \"{{t}}\"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			a := way(attack.Attack{HTTP3: true, Insecure: true, Templates: true, Redirects: 3,
				Rate: 500, Tasks: n}.WithSession(&s.Session))
			r := shared(t, a)
			var want []string
			for id := range n {
				want = append(want, fmt.Sprintf("/in?n=%d  ", id), fmt.Sprintf("/home?n=%d c%[1]d ",
					id), fmt.Sprintf("/buy/o%d c%[1]d t%[1]d", id))
			}
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(seen)
			slices.Sort(want)
			if !slices.Equal(seen, want) {
				t.Errorf("the server has %q, want %q", seen, want)
			}
			count, _ := r.Metric("session-count")
			failed, _ := r.Metric("session-failed/op")
			if count != n || failed != 0 || r.Tasks != 2*n || len(r.Broken) > 0 ||
				r.Over != "HTTP/3" {
				t.Errorf("%v sessions, of which %v failed, %d requests, %q, over %q", count,
					failed, r.Tasks, r.Broken, r.Over)
			}
		})
	}
}

func shared(t *testing.T, a attack.Attack) *attack.Report {
	t.Helper()
	if a.Agents == 0 {
		r, _ := run(t, a)
		return r
	}
	agents := make([]attack.Agent, a.Agents)
	var all sync.WaitGroup
	for k := range agents {
		one := a
		one.Agent = k
		all.Go(func() {
			share, err := attack.RunShare(context.WithoutCancel(t.Context()), one)
			if err != nil {
				t.Error(err)
			}
			agents[k] = attack.Agent{Name: fmt.Sprintf("agent %d", k), Share: share}
		})
	}
	all.Wait()
	r, err := a.Merge(agents, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

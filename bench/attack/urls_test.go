package attack_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	units "github.com/poolbench/poolbench/internal/metric"
)

type pathLog struct {
	requests, sent, received int
	statuses                 map[int]int
}

// threePaths is a server that answers /login after 2 ms and /item/… after 20 ms, every fourth of
// them by 503. It redirects /old to /login.
type threePaths struct {
	mu    sync.Mutex
	items int
	log   map[string]*pathLog
}

func (s *threePaths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	of, status, answer := r.URL.Path, http.StatusOK, "hello"
	switch {
	case of == "/old":
		status, answer = http.StatusTemporaryRedirect, "it has moved"
		w.Header().Set("Location", "/login?from=old")
	case strings.HasPrefix(of, "/item/"):
		time.Sleep(20 * time.Millisecond)
		s.mu.Lock()
		if s.items++; s.items%4 == 0 {
			status, answer = http.StatusServiceUnavailable, "later"
		}
		s.mu.Unlock()
		of = "/item/"
	default:
		time.Sleep(2 * time.Millisecond)
	}
	s.mu.Lock()
	if r.URL.RawQuery == "from=old" {
		of = "/old"
	}
	l := s.log[of]
	if l == nil {
		l = &pathLog{statuses: map[int]int{}}
		s.log[of] = l
	}
	l.received += len(body)
	l.sent += len(answer)
	if status != http.StatusTemporaryRedirect {
		l.requests++
		l.statuses[status]++
	}
	s.mu.Unlock()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// check compares the metrics of a URL with the server's counts.
func (s *threePaths) check(t *testing.T, r *attack.Report, prefix, path string) {
	t.Helper()
	l := s.log[path]
	value := func(unit string) float64 {
		v, ok := r.Metric(prefix + unit)
		if !ok {
			t.Errorf("no %s%s", prefix, unit)
		}
		return v
	}
	n := value("count")
	counted := func(unit string) int { return int(math.Round(n * value(unit))) }
	if int(n) != l.requests || counted(units.SentBytes) != l.received ||
		counted(units.ReceivedBytes) != l.sent {
		t.Errorf("%s: %v requests, sent %d B, received %d B; the server has %+v", prefix, n,
			counted(units.SentBytes), counted(units.ReceivedBytes), *l)
	}
	for status, want := range l.statuses {
		if got := counted(units.OfStatus(fmt.Sprint(status))); got != want {
			t.Errorf("%s: status %d × %d; the server has %d", prefix, status, got, want)
		}
	}
}

func pathRequests(url string) []attack.Request {
	return []attack.Request{
		{Method: "GET", URL: url + "/login?a=1"}, {Method: "GET", URL: url + "/item/{{seq}}"},
		{Method: "GET", URL: url + "/login?a=2"},
		{Method: "POST", URL: url + "/old", Body: []byte("12345")}}
}

func TestURLs(t *testing.T) {
	a := attack.Attack{Requests: pathRequests("http://127.0.0.1"), Templates: true, Redirects: 1,
		Rate: 100, Tasks: 400}
	for name, a := range map[string]attack.Attack{"wires": a, "net/http": a.ByNetHTTP()} {
		s := &threePaths{log: map[string]*pathLog{}}
		report := inBubble(t, a, s.ServeHTTP)
		var names []string
		for _, u := range a.URLs() {
			names = append(names, u.Name)
		}
		if want := []string{"GET /login", "GET /item/{{seq}}", "POST /old"}; !slices.Equal(names,
			want) {
			t.Fatalf("URLs %q", names)
		}
		for url, path := range map[string]string{"GET /login": "/login",
			"GET /item/{{seq}}": "/item/", "POST /old": "/old"} {
			s.check(t, report, units.OfURL(url), path)
		}
		for unit, want := range map[string]float64{
			units.OfURL("GET /login") + units.P95Response:           0.002,
			units.OfURL("GET /login") + units.Failed:                0,
			units.OfURL("GET /item/{{seq}}") + units.P95Response:    0.020,
			units.OfURL("GET /item/{{seq}}") + units.DueP50Response: 0.020,
			units.OfURL("GET /item/{{seq}}") + units.Failed:         0.25,
			units.OfURL("POST /old") + units.P50Service:             0.002,
			units.OfStatus("200"):                                   0.9375,
			units.OfStatus("503"):                                   0.0625,
		} {
			// times have three digits
			if got := metric(t, report, unit); math.Abs(got-want) > want/1000 {
				t.Errorf("%s: %s is %v, want %v", name, unit, got, want)
			}
		}
		if _, ok := report.Metric(units.OfURL("GET /item/{{seq}}") + units.DueP95Response); ok {
			t.Errorf("%s: a p95 among requests that failed", name)
		}
		for _, slow := range report.Slowest {
			if slow.URL != "GET /item/{{seq}}" {
				t.Errorf("%s: a request that took %v went to %q", name, slow.Response(), slow.URL)
			}
		}
	}
}

func TestURLsOfAgents(t *testing.T) {
	s := &threePaths{log: map[string]*pathLog{}}
	server := httptest.NewServer(s)
	defer server.Close()
	a := attack.Attack{Requests: pathRequests(server.URL), Templates: true, Redirects: 1,
		Rate: 2000, Tasks: 200, Agents: 2}
	agents := make([]attack.Agent, 2)
	for k := range agents {
		a.Agent = k
		share, err := attack.RunShare(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		text, err := share.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		agents[k].Share = new(attack.Share)
		if err := agents[k].Share.UnmarshalBinary(text); err != nil {
			t.Fatal(err)
		}
	}
	report, err := a.Merge(agents, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for url, path := range map[string]string{"GET /login": "/login", "GET /item/{{seq}}": "/item/",
		"POST /old": "/old"} {
		s.check(t, report, units.OfURL(url), path)
	}
	for _, slow := range report.Slowest {
		if slow.URL == "" {
			t.Errorf("a slow request of no URL: %+v", slow)
		}
	}
}

// A step of a session counts as a URL under its name.
func TestURLsOfSteps(t *testing.T) {
	s := &threePaths{log: map[string]*pathLog{}}
	a := attack.Attack{Rate: 100, Tasks: 60, Redirects: 1}.WithSession(&sessions.Session{Name: "shop",
		Steps: []sessions.Step{
			{Name: "log_in", Request: attack.Request{Method: "GET", URL: "http://127.0.0.1/login"}},
			{Name: "look", Request: attack.Request{Method: "GET", URL: "http://127.0.0.1/item/1"}}}})
	report := inBubble(t, a, s.ServeHTTP)
	for i, path := range []string{"/login", "/item/"} {
		s.check(t, report, a.URLs()[i].Prefix, path)
	}
	if u := a.URLs()[1]; u.Name != "look" || u.Also != "GET /item/1" {
		t.Errorf("%+v", u)
	}
}

func TestMostURLs(t *testing.T) {
	var a attack.Attack
	for i := range attack.MaxURLs + 20 {
		a.Requests = append(a.Requests, attack.Request{Method: "GET",
			URL: fmt.Sprintf("http://127.0.0.1/%d", i)})
	}
	a.Tasks, a.Rate = len(a.Requests), 1000
	report := inBubble(t, a, func(http.ResponseWriter, *http.Request) {})
	urls := a.URLs()
	if len(urls) != attack.MaxURLs+1 || urls[attack.MaxURLs].Name != attack.OtherURLs {
		t.Fatalf("%d URLs, the last %q", len(urls), urls[len(urls)-1].Name)
	}
	if n := metric(t, report, units.OfURL(attack.OtherURLs)+"count"); n != 20 {
		t.Errorf("%v requests to others, want 20", n)
	}
	one := attack.Attack{Requests: a.Requests[:1]}
	if len(one.URLs()) > 0 {
		t.Error("one URL has a row of its own")
	}
	hosts := attack.Attack{Requests: []attack.Request{{URL: "http://a/x?key=1"},
		{Method: "PUT", URL: "https://user:pass@b:8/"}}}
	if u := hosts.URLs(); len(u) != 2 || u[0].Name != "GET a/x" || u[1].Name != "PUT b:8/" {
		t.Errorf("%+v", u)
	}
}

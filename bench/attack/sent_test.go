package attack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/strategies"
)

func hostileRows(t *testing.T) *requests.Data {
	t.Helper()
	d, err := requests.ReadData("people.csv", []byte("name,password\nann,s3cr3t-a\n"+
		"\"bo b/?&#\"\"\",s3cr3t-b\n\"cy\r\nX: y\",s3cr3t-c\nŁ,s3cr3t-d\n{{seq}},s3cr3t-e\n"), "csv")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func checkList(t *testing.T, texts ...string) (all checks.List) {
	t.Helper()
	for _, text := range texts {
		c, err := checks.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func formatRequest(r *http.Request, body []byte) string {
	return fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"),
		r.Header.Get("X-Id"), body)
}

// Every request must be filled in equally and sent once, by any client, loop, strategy or agents.
func TestSentAsPlanned(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	var refused map[string]bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if to, ok := strings.CutPrefix(r.URL.EscapedPath(), "/from/"); ok {
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			http.Redirect(w, r, "/to/"+to, http.StatusTemporaryRedirect)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		note := formatRequest(r, body)
		if refused != nil && !refused[note] {
			refused[note] = true
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		seen = append(seen, note)
		_, _ = io.WriteString(w, "fine")
	}))
	defer server.Close()
	const n = 60
	for _, place := range []string{"to", "from"} {
		for i, seed := range []uint64{1, 9} {
			if testing.Short() && (place == "to") != (i == 0) {
				continue
			}
			reqs := []attack.Request{
				{Method: "PUT", URL: server.URL + "/" + place + "/{{name}}/{{seq}}?n={{name}}&r={{random 1 99}}",
					Header: http.Header{"Authorization": {"Basic {{password}}"}, "X-Id": {"{{uuid}}"}},
					Body:   []byte(`{"name":"{{name}}","id":{{uuid}}}`)},
				{Method: "POST", URL: server.URL + "/" + place + `/{{printf "%q" name}}`,
					Body: []byte(strings.Repeat("x", 20<<10) + "{{if eq 1 1}}{{seq}}{{end}}")},
				{Method: "GET", URL: server.URL + "/" + place + "/static{{/* not quite */}}"},
			}
			var want []string
			for seq := range uint64(n) {
				r := reqs[seq%3]
				parsed, err := requests.Parse(r, hostileRows(t))
				if err != nil {
					t.Fatal(err)
				}
				one, err := parsed.Fill(seed, seq)
				if err != nil {
					t.Fatal(err)
				}
				req, err := one.Request()
				if err != nil {
					t.Fatal(err)
				}
				req.URL.RawPath = strings.Replace(req.URL.EscapedPath(), "/from/", "/to/", 1)
				req.URL.Path = strings.Replace(req.URL.Path, "/from/", "/to/", 1)
				want = append(want, formatRequest(req, one.Body))
			}
			slices.Sort(want)
			a := attack.Defaults()
			a.Requests, a.Templates, a.Data, a.Seed = reqs, true, hostileRows(t), seed
			a.Checks = checkList(t, "status == 200", "body == fine")
			a.Tasks, a.Duration = n, 0
			open := a
			open.Rate = 5000
			retrying := open
			retrying.Strategy, retrying.Limit = strategy(t, "retry_queue:base=1ms"), 8
			closed := a
			closed.Clients = 7
			for name, a := range map[string]attack.Attack{"open": open, "retrying": retrying,
				"closed": closed, "open by net/http": open.ByNetHTTP(),
				"closed by net/http": closed.ByNetHTTP()} {
				seen, refused = nil, nil
				if name == "retrying" {
					refused = map[string]bool{}
				}
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				checkCompleted(t, name, r.Result, n)
				same(t, fmt.Sprintf("%s, /%s, seed %d", name, place, seed), seen, want)
			}
			seen, refused = nil, nil
			shared := open
			shared.Agents = 2
			var agents []attack.Agent
			for k := range 2 {
				shared.Agent = k
				// after a round trip through the text form
				mine, err := shared.Encode().Attack()
				if err != nil {
					t.Fatal(err)
				}
				share, err := attack.RunShare(t.Context(), mine)
				if err != nil {
					t.Fatal(err)
				}
				agents = append(agents, attack.Agent{Name: fmt.Sprint(k), Share: share})
			}
			r, err := shared.Merge(agents, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkCompleted(t, "agents", r.Result, n)
			same(t, fmt.Sprintf("agents, /%s, seed %d", place, seed), seen, want)
		}
	}
}

func checkCompleted(t *testing.T, name string, r *bench.Result, n int) {
	t.Helper()
	if r.Tasks != n || len(r.Broken) > 0 {
		t.Errorf("%s: %d requests, %v", name, r.Tasks, r.Broken)
	}
	for _, unit := range []string{"failed/op", "throttled/op", "shed/op", "abandoned/op"} {
		if v, _ := r.Metric(unit); v != 0 {
			t.Errorf("%s: %s is %v", name, unit, v)
		}
	}
}

func same(t *testing.T, name string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: the server has seen %d requests, want %d; at %d:\n got %.200s\nwant %.200s",
				name, len(got), len(want), i, append(got, "nothing")[min(i, len(got))],
				append(want, "nothing")[min(i, len(want))])
			return
		}
	}
}

// A failed check must be counted by name. The first bodies must be kept, without secrets.
func TestFailedChecks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "text/plain")
		n, _ := strconv.Atoi(r.FormValue("seq"))
		switch n % 5 {
		case 1:
			w.WriteHeader(http.StatusNotFound)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			_, _ = fmt.Fprintf(w, "bad for %s of %q, token=fresh%d %s", password,
				r.FormValue("password"), n, strings.Repeat("z", 5000))
			return
		}
		_, _ = io.WriteString(w, "good")
	}))
	defer server.Close()
	d, err := requests.ReadData("d.jsonl", []byte(`{"user":"ann","password":"hunter2 &<a>"}`), "jsonl")
	if err != nil {
		t.Fatal(err)
	}
	a := attack.Defaults()
	a.Requests = []attack.Request{{Method: "GET",
		URL:    server.URL + "/{{password}}?seq={{seq}}&password={{password}}",
		Header: http.Header{"Authorization": {`Basic {{base64 (printf "%s:%s" user password)}}`}}}}
	a.Templates, a.Data = true, d
	a.Tasks, a.Duration = 50, 0
	open, closed := a, a
	open.Rate, closed.Clients = 2000, 3
	for name, a := range map[string]attack.Attack{"open": open, "closed": closed} {
		var vegetas bytes.Buffer
		a.Checks, a.Vegeta = checkList(t, "size < 5KB", "body == good"), &vegetas
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for unit, want := range map[string]float64{"failed/op": 0.4, "throttled/op": 0.2} {
			if v, _ := r.Metric(unit); v != want {
				t.Errorf("%s: %s is %v, want %v", name, unit, v, want)
			}
		}
		failed := []attack.Count{{What: "check failed: size < 5KB", N: 10}}
		if want := failed; !slices.Equal(r.Errors, want) {
			t.Errorf("%s: errors are %v, want %v", name, r.Errors, want)
		}
		statuses := []attack.Count{{What: "200", N: 30}, {What: "404", N: 10}, {What: "429", N: 10}}
		if want := statuses; !slices.Equal(r.Statuses, want) {
			t.Errorf("%s: statuses are %v, want %v", name, r.Statuses, want)
		}
		kept := map[string]int{}
		for _, f := range r.Failures {
			kept[f.What] = len(f.Bodies)
			for _, b := range f.Bodies {
				if b.Type != "text/plain" || len(b.Text) > 2<<10 || b.Cut != (b.Status == 200) ||
					b.Seq%5 != map[int]uint64{404: 1, 429: 2, 200: 3}[b.Status] {
					t.Errorf("%s: %s: %+v", name, f.What, b)
				}
			}
		}
		bodies := map[string]int{"check failed: size < 5KB": 3, "status 404": 3,
			"status 429": 3}
		if want := bodies; !maps.Equal(kept, want) {
			t.Errorf("%s: kept are %v, want %v", name, kept, want)
		}
		left := fmt.Sprintf("%+v %s %s", r.Failures, r.Name, vegetas.String())
		for _, secret := range []string{"hunter2", "fresh", "YW5uOm"} {
			if strings.Contains(left, secret) {
				t.Errorf("%s: %q is in %.2000s", name, secret, left)
			}
		}
		// a status that a check expects is completed
		a.Checks, a.Vegeta = checkList(t, "status >= 404", "header content-type exists"), nil
		if r, err = attack.Run(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		for unit, want := range map[string]float64{"failed/op": 0.6, "throttled/op": 0} {
			if v, _ := r.Metric(unit); v != want {
				t.Errorf("%s: with a check on the status %s is %v, want %v", name, unit, v, want)
			}
		}
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		`Get "http://h/?q=a b\"c#d": EOF`:         `Get "http://h/?q=…#…": EOF`,
		"parse http://a:b@h/?n=1: bad port":       "parse http://…@h/?n=…: bad port",
		"no answer from http://h/?n=1&m=2, again": "no answer from http://h/?n=…&m=…, again",
		`Get "/x?code=7": EOF`:                    `Get "/x?code=…": EOF`,
		"want one of == != ? or none":             "want one of == != ? or none",
		`json .items.# > 0`:                       `json .items.# > 0`,
	} {
		if got := attack.Shown(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
	for address, want := range map[string]string{
		"http://a:b@h/x":                     "http://…@h/x",
		"http://a:b/c@h/x":                   "http://…@h/x",
		"http://a:b?c@h/x":                   "http://…@h/x",
		"http://h/x?X-Amz-Signature=ab&n=1":  "http://h/x?X-Amz-Signature=…&n=…",
		"http://h/?q=a b\"c&n=&m=1":          "http://h/?q=…&n=&m=…",
		"http://h/?n=1&sig=a%20b#id=f":       "http://h/?n=…&sig=…#…",
		"http://h/?a;b=1":                    "http://h/?…;b=…",
		"http://h/?c2lnbmF0dXJlIGFuZCBrZXk=": "http://h/?…",
		"http://h/?p=b{{t}}c&k={{random 1 9}}&l={{print \"s\"}}&{{if a}}m=1{{end}}": "http://h/?p=…{{t}}…&" +
			"k={{random 1 9}}&l=…&{{if a}}m=…{{end}}",
		"http://h/{{print \"?\"}}?a=1": `http://h/{{print "?"}}?a=…`,
		"http://h/key=1?a=key":         "http://h/key=1?a=…",
		"http://h/?{{{{{{a=b":          "http://h/?{{{{{{a=…",
	} {
		if got := attack.ShownURL(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
	a := attack.Attack{ShowQuery: []string{"page", "q"}}
	if got, want := a.Show("http://h/?page=3&pager=4&q=a+b"), "http://h/?page=3&pager=…&q=a+b"; got != want {
		t.Errorf("with page and q it is shown as %s, want %s", got, want)
	}
}

func TestLettersMasked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	var list strategies.DeadLetterList
	a := attack.Defaults()
	a.Requests = []attack.Request{{Method: "GET", URL: server.URL + "/{{name}}?p={{password}}&q={{name}}"}}
	a.Templates, a.Data, a.Tasks, a.Duration = true, hostileRows(t), 2, 0
	a.Strategy, a.Limit = strategy(t, "retry_queue:base=1ms,attempts=2"), 2
	a.DeadLetters, a.ShowQuery = &list, []string{"q"}
	if _, err := attack.Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", list.All())
	for _, want := range []string{"/ann?p=…&q=ann", "/bo%20b%2F%3F&%23%22?p=…&q="} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

// A value of 10 MB with every kind of delimiter must arrive unchanged in a single request.
func TestLargeRow(t *testing.T) {
	size := 10 << 20
	if testing.Short() {
		size = 2 << 20
	}
	large := strings.Repeat("a\"b\\\r\n\r\nGET / HTTP/1.1&x=1}]", size/28)
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got struct {
			V, W string
			N    int
		}
		err := json.NewDecoder(r.Body).Decode(&got)
		mu.Lock()
		defer mu.Unlock()
		seen[fmt.Sprint(r.Method, r.URL.Path, err, got.V == large, got.W, got.N)]++
	}))
	defer server.Close()
	a := attack.Defaults()
	a.Requests = []attack.Request{{Method: "POST", URL: server.URL + "/{{w}}",
		Body: []byte(`{"v":"{{v}}","w":{{w}},"n":{{seq}}}`)}}
	// With the race detector, two bodies of 10 MB may take longer than the default drain of 5 s.
	a.Templates, a.Tasks, a.Duration, a.Drain, a.Timeout = true, 4, 0, time.Hour, time.Hour
	a.Data = &requests.Data{Name: "d", Columns: []string{"v", "w"}, Lines: []int{2, 3},
		Rows: [][]requests.Value{{{Text: large}, {Text: "x"}}, {{Text: ""}, {Text: "y"}}}}
	open, closed := a, a
	open.Rate, open.Strategy, open.Limit = 1000, strategy(t, "worker_pool"), 1
	closed.Clients = 1
	for name, a := range map[string]attack.Attack{"open": open, "closed": closed} {
		report, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		got := maps.Clone(seen)
		clear(seen)
		mu.Unlock()
		want := map[string]int{"POST/x<nil> truex0": 1, "POST/y<nil> falsey1": 1,
			"POST/x<nil> truex2": 1, "POST/y<nil> falsey3": 1}
		if !maps.Equal(got, want) {
			t.Errorf("%s: the server has seen %v, the attack says %v", name, got, report.Errors)
		}
	}
}

// An endless body must use bounded memory and time out.
func TestEndless(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 64<<10)
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	a := attack.Defaults()
	a.Requests = []attack.Request{{Method: "GET", URL: server.URL}}
	a.Tasks, a.Duration, a.Clients, a.Timeout = 4, 0, 2, 200*time.Millisecond
	a.Checks = checkList(t, "body contains x")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if v, _ := r.Metric("failed/op"); v != 1 {
		t.Errorf("failed/op is %v", v)
	}
	// a kept body grows to 1 MiB, roughly by doubling
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

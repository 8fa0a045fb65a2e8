package attack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/result"
)

func session(t testing.TB, text string) *sessions.Session {
	t.Helper()
	s, err := sessions.ReadScript("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &s.Session
}

const buying = `
name: buying
steps:
- name: log_in
  url: http://127.0.0.1/login?n={{session}}
  headers: {Content-Type: application/json}
  body: '{"user": "{{name}}", "any": {{random 1 1000000}}}'
  check: status == 201
  capture:
  - token = json:.token
  - order = header:Location regexp:/orders/(\d+)$
- name: look
  url: http://127.0.0.1/orders/{{order}}?i={{seq}}
  headers: {X-Token: "{{token}}"}
  think: exp(1s)
  capture: next = regexp:next=(\w+)
- name: buy
  method: PUT
  url: http://127.0.0.1/buy/{{next}}
  think: lognormal(500ms,2)
  body: 'token={{token}}'
`

// shop is a server that logs the requests of each session with their times.
type shop struct {
	mu    sync.Mutex
	begun time.Time
	seen  map[uint64][]string
}

func (s *shop) took(n uint64, step int) time.Duration {
	return time.Duration((n*2_654_435_761+uint64(step)*104_729)%40_000_000 + 1)
}

func (s *shop) handler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	cookie := ""
	if c, err := r.Cookie("sid"); err == nil {
		cookie = c.Value
	}
	number := func(text string) uint64 {
		n, _ := strconv.ParseUint(text, 10, 64)
		return n
	}
	var n uint64
	step := 0
	switch {
	case r.URL.Path == "/login":
		n = number(r.URL.Query().Get("n"))
	case strings.HasPrefix(r.URL.Path, "/orders/"):
		n, step = number(strings.TrimPrefix(r.URL.Path, "/orders/"))-5000, 1
	default:
		n, step = number(strings.TrimPrefix(r.URL.Path, "/buy/n")), 2
	}
	s.mu.Lock()
	s.seen[n] = append(s.seen[n], fmt.Sprintf("%d %s %s %s %s %s", time.Since(s.begun), r.Method,
		r.URL.RequestURI(), r.Header.Get("X-Token"), cookie, body))
	s.mu.Unlock()
	time.Sleep(s.took(n, step))
	switch step {
	case 0:
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprint("c", n)})
		w.Header().Set("Location", fmt.Sprint("/orders/", 5000+n))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token": "t\"%d"}`, n)
	case 1:
		fmt.Fprintf(w, "<a href=?next=n%d>", n)
	}
}

// planned returns the expected log of a session.
func (s *shop) planned(a attack.Attack, n uint64, due int64) (lines []string) {
	line := func(method, uri, token, cookie, body string) {
		lines = append(lines,
			fmt.Sprintf("%d %s %s %s %s %s", due, method, uri, token, cookie, body))
	}
	first, err := a.Session.Parse(0, a.Requests[0], a.Data)
	if err != nil {
		panic(err)
	}
	filled, err := first.Fill(a.Seed, 3*n)
	if err != nil {
		panic(err)
	}
	var sent struct{ User string }
	if err := json.Unmarshal(filled.Body, &sent); err != nil {
		panic(err)
	}
	if row := a.Data.Rows[n%uint64(len(a.Data.Rows))]; sent.User != row[0].Text {
		panic(fmt.Sprintf("session %d has %q, want %q", n, sent.User, row[0].Text))
	}
	line("POST", fmt.Sprintf("/login?n=%d", n), "", "", string(filled.Body))
	due += int64(s.took(n, 0) + a.Session.Thinking(a.Seed, n, 1))
	line("GET", fmt.Sprintf("/orders/%d?i=%d", 5000+n, 3*n+1), fmt.Sprintf(`t"%d`, n),
		fmt.Sprint("c", n), "")
	due += int64(s.took(n, 1) + a.Session.Thinking(a.Seed, n, 2))
	line("PUT", fmt.Sprintf("/buy/n%d", n), "", fmt.Sprint("c", n), fmt.Sprintf(`token=t"%d`, n))
	return lines
}

func runInShop(
	t *testing.T, h http.HandlerFunc,
	f func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: h}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
		}()
		f(t, listener.dial)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
		time.Sleep(time.Hour)
	})
}

// The server must receive each step at its planned nanosecond, with the values and cookies of its
// session.
func TestSessionsAreThePlan(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	base := attack.Attack{Data: hostileRows(t), Templates: true, Arrival: arrival(t, "poisson"),
		Rate: 50, Tasks: n, MaxInFlight: attack.Unlimited}.WithSession(session(t, buying))
	through := base
	through.MaxInFlight, through.Strategy, through.Limit = 0, strategy(t, "unbounded"), 1
	soak, soakThrough := base, through
	soak.Soak, soakThrough.Soak = true, true
	for name, c := range map[string]struct {
		attack.Attack
		agents int
	}{"alone": {base, 0}, "agents": {base, 2}, "strategy": {through, 0},
		"agents and strategy": {through, 2}, "soak": {soak, 0}, "agents and soak": {soak, 2},
		"strategy and soak": {soakThrough, 0}} {
		for i, seed := range []uint64{3, 11} {
			if testing.Short() && (len(name)+i)%2 != 0 {
				continue
			}
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				a := c.Attack
				a.Seed, a.Agents = seed, 0
				s := &shop{seen: map[uint64][]string{}}
				var report *attack.Report
				runInShop(t, s.handler, func(t *testing.T,
					dial func(context.Context, string, string) (net.Conn, error)) {
					s.begun = time.Now()
					report = byAgents(t, a.Virtual(dial), c.agents)
				})
				seqs, dues := a.Dues()
				var response, length int64
				for i, seq := range seqs {
					want := s.planned(a, seq, dues[i])
					if diff := cmp.Diff(want, s.seen[seq]); diff != "" {
						t.Fatalf("session %d: %s", seq, diff)
					}
					for step := range 3 {
						response += int64(s.took(seq, step))
					}
					length += int64(a.Session.Thought(seed, seq))
				}
				if len(seqs) != n || report.Tasks != 3*n || len(report.Broken) > 0 ||
					report.Verdict != result.Valid {
					t.Errorf("%d sessions, %d requests, %v, %v, %q", len(seqs), report.Tasks,
						report.Broken, report.Verdict, report.Reasons)
				}
				for unit, want := range map[string]float64{"session-count": float64(n),
					"session-failed/op": 0, "step2-look-count": float64(n), "step3-buy-unsent/op": 0,
					"session-mean-response-sec": float64(response) / float64(n) / 1e9,
					"session-mean-length-sec":   float64(response+length) / float64(n) / 1e9} {
					if got := metric(t, report, unit); got != want {
						t.Errorf("%s is %v, want %v", unit, got, want)
					}
				}
			})
		}
	}
}

// byAgents runs the attack by so many agents and merges. 0 means no agents.
func byAgents(t *testing.T, a attack.Attack, agents int) *attack.Report {
	t.Helper()
	if agents == 0 {
		report, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	a.Agents = agents
	shares := make([]attack.Agent, agents)
	var all sync.WaitGroup
	for k := range agents {
		one := a
		one.Agent = k
		all.Go(func() {
			s, err := attack.RunShare(t.Context(), one)
			if err != nil {
				t.Error(err)
				return
			}
			b, err := s.AppendBinary(nil) // as sent over a network
			if err != nil {
				t.Error(err)
			}
			var read attack.Share
			if err := read.UnmarshalBinary(b); err != nil {
				t.Error(err)
			}
			shares[k] = attack.Agent{Name: fmt.Sprintf("agent %d", k), Share: &read}
		})
	}
	all.Wait()
	report, err := a.Merge(shares, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Each step that the server received must be reported once, and the others as not sent.
func TestSessionsEnd(t *testing.T) {
	const steps = `
- url: http://127.0.0.1/0/{{session}}
- url: http://127.0.0.1/1/{{session}}
  think: exp(50ms)
  check: status < 300
  capture: v = json:.v
- url: http://127.0.0.1/2/{{v}}
- url: http://127.0.0.1/3/{{v}}
  think: 10ms
`
	for i, through := range []string{"", "clients", "semaphore", "worker_pool", "dispatcher_shed",
		"retry_queue", "codel_lifo", "adaptive_aimd"} {
		for j, how := range []string{"", "cut", "soak", "cut soak"} {
			cut, soak := strings.HasPrefix(how, "cut"), strings.HasSuffix(how, "soak")
			if soak && through == "clients" {
				continue
			}
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			t.Run(through+" "+how, func(t *testing.T) {
				var mu sync.Mutex
				want, served := map[string]int{}, [4]int{}
				h := func(w http.ResponseWriter, r *http.Request) {
					parts := strings.Split(r.URL.Path, "/")
					step, _ := strconv.Atoi(parts[1])
					n, _ := strconv.ParseUint(parts[2], 10, 64)
					mu.Lock()
					served[step]++
					mu.Unlock()
					time.Sleep(time.Duration((n*31+uint64(step)*17)%20) * time.Millisecond)
					what := "completed"
					switch (n + uint64(step)*7) % 23 {
					case 1:
						what = "failed"
						w.WriteHeader(http.StatusInternalServerError)
					case 2:
						if what = "failed"; step != 1 { // only step 1 captures a value
							what = "completed"
						}
						fmt.Fprint(w, "{}")
					case 3:
						what = "throttled"
						w.WriteHeader(http.StatusServiceUnavailable)
					case 4:
						mu.Lock()
						want["failed"]++
						mu.Unlock()
						panic(http.ErrAbortHandler)
					case 5:
						if cut {
							time.Sleep(time.Minute)
						}
						fallthrough
					default:
						fmt.Fprintf(w, `{"v": %d}`, n)
					}
					mu.Lock()
					want[what]++
					mu.Unlock()
				}
				a := attack.Attack{Templates: true, Arrival: arrival(t, "poisson"), Rate: 200,
					Tasks: 300, Seed: 5, Soak: soak}
				switch through {
				case "":
				case "clients":
					a.Arrival, a.Rate, a.Clients = arrivals.Variant{}, 0, 7
				default:
					a.Strategy, a.Limit = strategy(t, through), 3
				}
				a = a.WithSession(session(t, "steps:"+steps))
				var r *attack.Report
				runInShop(t, h, func(t *testing.T,
					dial func(context.Context, string, string) (net.Conn, error)) {
					ctx := t.Context()
					if cut {
						var end context.CancelFunc
						ctx, end = context.WithTimeout(ctx, 900*time.Millisecond)
						defer end()
					}
					var err error
					if r, err = attack.Run(ctx, a.Virtual(dial)); err != nil {
						t.Fatal(err)
					}
				})
				if len(r.Broken) > 0 {
					t.Errorf("broken laws: %q", r.Broken)
				}
				value := func(unit string) float64 { v, _ := r.Metric(unit); return v }
				settled, unsent := 0.0, 0.0
				sessions := value("session-count")
				for step := range 4 {
					of := fmt.Sprintf("step%d-step_%[1]d-", step+1)
					settled += value(of + "count")
					unsent += value(of+"unsent/op") * sessions
					shed := value(of+"shed/op") * value(of+"count")
					if sent := float64(served[step]); through != "retry_queue" && !cut &&
						math.Abs(value(of+"count")-shed-sent) > 1e-6 {
						t.Errorf("step %d: %v settled, %v shed, and the server has had %v", step,
							value(of+"count"), shed, sent)
					}
				}
				if int(settled) != r.Tasks || math.Abs(settled+unsent-4*sessions) > 1e-6 ||
					!cut && sessions != 300 || sessions > 300 {
					t.Errorf("%v sessions, %v settled, %d requests, %v not sent", sessions, settled,
						r.Tasks, unsent)
				}
				if completed := value("session-failed/op"); completed <= 0 || completed >= 1 {
					t.Errorf("%v of the sessions failed", completed)
				}
				if through == "" && !cut {
					n := float64(r.Tasks)
					for what, unit := range map[string]string{"failed": "failed/op",
						"throttled": "throttled/op"} {
						if got := value(unit) * n; math.Abs(got-float64(want[what])) > 1e-6 {
							t.Errorf("%v %s, want %d", got, what, want[what])
						}
					}
				}
			})
		}
	}
}

func TestThinkingHoldsNoSlot(t *testing.T) {
	a := attack.Attack{Tasks: 500, Rate: 100, Strategy: strategy(t, "semaphore"), Limit: 1}.
		WithSession(session(t, `steps: [{url: http://127.0.0.1/}, {url: http://127.0.0.1/,
			think: 10003ms}]`))
	r := inBubble(t, a, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Millisecond) })
	for unit, want := range map[string]float64{"max-response-sec": 0.001, "peak-inflight": 1,
		"session-mean-length-sec": 10.005, "failed/op": 0} {
		if got := metric(t, r, unit); got != want {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
}

// A client must run its sessions one after the other and think before each step, also the first.
func TestClientsThink(t *testing.T) {
	a := attack.Attack{Templates: true, Clients: 3, Tasks: 50, Seed: 9}.WithSession(session(t, `
name: clients
steps:
- url: http://127.0.0.1/0/{{session}}
  think: exp(40ms)
- url: http://127.0.0.1/1/{{session}}
  think: exp(1s)
`))
	took := func(n, step int) time.Duration {
		return time.Duration((n*7+step*3)%50) * time.Millisecond
	}
	begun := time.Now()
	var mu sync.Mutex
	at := map[[2]int]time.Duration{}
	var r *attack.Report
	runInShop(t, func(w http.ResponseWriter, r *http.Request) {
		var n, step int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d/%d", &step, &n)
		mu.Lock()
		at[[2]int{n, step}] = time.Since(begun)
		mu.Unlock()
		time.Sleep(took(n, step))
	}, func(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
		begun = time.Now()
		r = byAgents(t, a.Virtual(dial), 0)
	})
	free := []time.Duration{0, 0, 0} // when each client becomes free
	for n := range 50 {
		slices.Sort(free)
		first := free[0] + a.Session.Thinking(9, uint64(n), 0)
		second := first + took(n, 0) + a.Session.Thinking(9, uint64(n), 1)
		if at[[2]int{n, 0}] != first || at[[2]int{n, 1}] != second {
			t.Fatalf("session %d was at %v and %v, want %v and %v", n, at[[2]int{n, 0}],
				at[[2]int{n, 1}], first, second)
		}
		free[0] = second + took(n, 1)
	}
	if r.Tasks != 100 || len(r.Broken) > 0 || metric(t, r, "session-count") != 50 {
		t.Errorf("%d requests, %q", r.Tasks, r.Broken)
	}
}

// extra-% is the additional time of a request in a session, from medians of 7 runs. The server is
// in this process and included. -benchtime 20000x is enough.
func BenchmarkSession(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	plain := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: server.URL}},
		Templates: true}
	for name, with := range map[string]func(attack.Attack) attack.Attack{
		"open": func(a attack.Attack) attack.Attack {
			a.Arrival, a.MaxInFlight = arrivals.MustParse("batch"), 16
			return a
		},
		"clients": func(a attack.Attack) attack.Attack { a.Clients = 16; return a },
	} {
		b.Run(name, func(b *testing.B) {
			ways := [2]attack.Attack{plain, plain.WithSession(session(b,
				"steps: [{url: "+server.URL+"}]"))}
			var took [2][]float64
			for range 7 {
				for i := range ways {
					a := with(ways[i])
					a.Tasks = b.N
					begun := time.Now()
					if _, err := attack.Run(b.Context(), a); err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], time.Since(begun).Seconds())
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			b.ReportMetric(took[0][3]*1e9/float64(b.N), "plain-ns")
			b.ReportMetric(took[1][3]*1e9/float64(b.N), "session-ns")
			b.ReportMetric(100*(took[1][3]/took[0][3]-1), "extra-%")
			b.ReportMetric(100*(took[1][0]/took[0][0]-1), "extra-of-best-%")
		})
	}
}

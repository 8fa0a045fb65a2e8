package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

const ordinary = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n01234"

// after silent answers the server sends nothing more, so requests time out
var silent = map[string]bool{"never": true, "half": true, "not all": true}

// Clients on a ring must give the same result as clients on goroutines.
func TestRing(t *testing.T) {
	t.Parallel()
	say := func(text string) func(net.Conn) bool {
		return func(c net.Conn) bool { _, err := io.WriteString(c, text); return err == nil }
	}
	for name, second := range map[string]func(net.Conn) (more bool){
		"ordinary": say(ordinary),
		"in pieces": func(c net.Conn) bool {
			for i := range len(ordinary) {
				say(ordinary[i : i+1])(c)
			}
			return true
		},
		"closed":             func(net.Conn) bool { return false },
		"closed amidst":      func(c net.Conn) bool { return !say(ordinary[:len(ordinary)-1])(c) },
		"closed in the head": func(c net.Conn) bool { return !say(ordinary[:20])(c) },
		"reset": func(c net.Conn) bool {
			return c.(*net.TCPConn).SetLinger(0) != nil // false closes the connection
		},
		"never":     func(net.Conn) bool { return true },
		"half":      say(ordinary[:20]),
		"not all":   say(ordinary[:len(ordinary)-1]),
		"more":      say(ordinary + "x"),
		"large":     say(differing["a large answer"]),
		"chunks":    say(differing["chunks"]),
		"close":     say(differing["Connection: close"]),
		"HTTP/1.0":  say(differing["HTTP/1.0, a length"]),
		"redirects": say(differing["302 for ever"]),
		"nonsense":  say(differing["another protocol"]),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s seen
			url := hostile(t, func(c net.Conn, requests *bufio.Reader) {
				for n := 0; ; n++ {
					r, err := http.ReadRequest(requests)
					if err != nil {
						return
					}
					s.add(r)
					if n%2 == 0 && !say(ordinary)(c) || n%2 == 1 && !second(c) {
						return
					}
				}
			})
			for _, resend := range []bool{false, true} {
				a := attack.Attack{Clients: 1, Tasks: 5, Redirects: 3, Resend: resend,
					Timeout:  time.Minute,
					Requests: []attack.Request{{Method: "GET", URL: url}}}
				tries := 1
				if silent[name] { // on a busy machine connecting may take as long
					a.Timeout, tries = 200*time.Millisecond, 5
				}
				var got, want, saw, should string
				for n := 0; n < tries && (n == 0 || got != want || saw != should); n++ {
					a.Connections = 0
					got = outcomeAndWords(t, a)
					saw = fmt.Sprint(s.take())
					a.Connections = 1 // a limit on connections rules out a ring
					want = outcomeAndWords(t, a)
					should = fmt.Sprint(s.take())
				}
				if got != want || saw != should {
					t.Errorf("got\n%s, without a ring\n%s; the server saw\n%s\nand\n%s", got, want,
						saw, should)
				}
			}
		})
	}
}

func outcomeAndWords(t *testing.T, a attack.Attack) string {
	t.Helper()
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Statuses, r.Errors, metric(t, r, "resent/op"), r.Broken)
}

// Clients with ordinary answers must not need a goroutine. A busy machine may still cause one, so
// repeat the test.
func TestRingHasThem(t *testing.T) {
	stacks := ""
	for range 5 {
		if stacks = stacksOfClients(t); !strings.Contains(stacks, "(*client)") {
			break
		}
	}
	if strings.Contains(stacks, "(*client)") || !strings.Contains(stacks, "(*ring).run") {
		t.Errorf("the goroutines were\n%s", stacks)
	}
}

// stacksOfClients returns all stacks while every client waits for its third answer.
func stacksOfClients(t *testing.T) string {
	t.Helper()
	const clients = 50
	var waiting atomic.Int32
	all := make(chan struct{})
	url := hostile(t, func(c net.Conn, requests *bufio.Reader) {
		for n := 0; ; n++ {
			if _, err := http.ReadRequest(requests); err != nil {
				return
			}
			if n == 2 { // leave it unanswered
				if waiting.Add(1) == clients {
					close(all)
				}
				continue
			}
			if _, err := io.WriteString(c, ordinary); err != nil {
				return
			}
		}
	})
	var stacks bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		<-all
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2) // a bytes.Buffer returns no errors
	}()
	r, err := attack.Run(ctx, attack.Attack{Clients: clients, Duration: time.Minute,
		Requests: []attack.Request{{Method: "GET", URL: url}}})
	if err != nil {
		t.Fatal(err)
	}
	if metric(t, r, "abandoned/op") != 1.0/3 || len(r.Broken) > 0 {
		t.Errorf("%v %v %v", r.Statuses, r.Errors, r.Broken)
	}
	return stacks.String()
}

// writerFunc is called for each write.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

// A ring that is held up reads an answer after its timeout, although the answer arrived in time.
// The ring must not count it as completed. The writer of results holds the ring up: at the first of
// three answers until the others have arrived, at the second until the timeout of the third.
func TestRingReadsTooLate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one ring
	const clients, timeout = 3, time.Second
	var waiting, settled atomic.Int64
	first, others := make(chan struct{}), make(chan struct{})
	var written sync.WaitGroup
	written.Add(clients - 1)
	url := hostile(t, func(c net.Conn, requests *bufio.Reader) {
		for n := 0; ; n++ {
			if _, err := http.ReadRequest(requests); err != nil {
				return
			}
			last := n == 1 && waiting.Add(1) == clients
			if last {
				close(first)
			} else if n == 1 {
				<-others
			}
			_, err := io.WriteString(c, ordinary)
			if n == 1 && !last {
				written.Done()
			}
			if err != nil {
				return
			}
		}
	})
	r, err := attack.Run(t.Context(), attack.Attack{Clients: clients, Tasks: 2 * clients,
		Timeout: timeout, Requests: []attack.Request{{Method: "GET", URL: url}},
		Vegeta: writerFunc(func() {
			select {
			case <-first:
			default:
				return // a first answer of a client
			}
			switch settled.Add(1) {
			case 1:
				close(others)
				written.Wait()
			case 2:
				time.Sleep(timeout)
			}
		})})
	if err != nil {
		t.Fatal(err)
	}
	completed := 0
	for _, s := range r.Statuses {
		completed += s.N
	}
	if completed >= 2*clients {
		t.Errorf("%d requests completed, one of them after its timeout of %v; the longest took %v s",
			completed, timeout, metric(t, r, "max-service-sec"))
	}
}

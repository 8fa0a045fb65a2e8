package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/pprof"
	"strings"
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

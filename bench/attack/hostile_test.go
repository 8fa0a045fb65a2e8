package attack_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// hostile serves every connection by f on a real socket until the test ends.
func hostile(t *testing.T, f func(c net.Conn, requests *bufio.Reader)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			serving.Go(func() {
				f(c, bufio.NewReader(c))
				c.Close()
			})
		}
	})
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}

func answering(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, requests *bufio.Reader) {
		for {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// forEver sends the head once and then the text without end.
func forEver(head, text string, pause time.Duration) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, requests *bufio.Reader) {
		if _, err := http.ReadRequest(requests); err != nil {
			return
		}
		for _, err := io.WriteString(c, head); err == nil; _, err = io.WriteString(c, text) {
			time.Sleep(pause)
		}
	}
}

// cutting sends the text and closes the connection, by a reset if rude.
func cutting(text string, rude bool) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, requests *bufio.Reader) {
		if _, err := http.ReadRequest(requests); err != nil {
			return
		}
		io.WriteString(c, text)
		if tcp := c.(*net.TCPConn); rude {
			tcp.SetLinger(0)
		}
	}
}

// slowly delays f by more than half of the attack's timeout.
func slowly(f func(net.Conn, *bufio.Reader)) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, requests *bufio.Reader) {
		if _, err := requests.Peek(1); err == nil {
			time.Sleep(100 * time.Millisecond)
			f(c, requests)
		}
	}
}

// ways returns attacks for all kinds of clients and loops.
func ways(t *testing.T) map[string]attack.Attack {
	return map[string]attack.Attack{
		"open":      {Rate: 500, Tasks: 6},
		"net/http":  attack.Attack{Rate: 500, Tasks: 6}.ByNetHTTP(),
		"bounded":   {Rate: 500, Tasks: 6, Connections: 2},
		"unlimited": {Rate: 500, Tasks: 6, MaxInFlight: attack.Unlimited},
		"closed":    {Clients: 3, Tasks: 6},
		"shared":    {Clients: 3, Connections: 2, Tasks: 6},
		"through":   {Rate: 500, Tasks: 6, Strategy: strategy(t, "retry_queue"), Limit: 3},
	}
}

// Every request must end, as failed. TestMain checks for leaked goroutines. Attacks have shorter
// timeouts than the servers' delays.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	servers := map[string]func(net.Conn, *bufio.Reader){
		"says nothing":             func(c net.Conn, _ *bufio.Reader) { io.Copy(io.Discard, c) },
		"hangs up at once":         func(net.Conn, *bufio.Reader) {},
		"hangs up on a request":    cutting("", false),
		"resets on a request":      cutting("", true),
		"resets within the header": cutting("HTTP/1.1 200 OK\r\nContent-", true),
		"resets within the body": cutting(
			"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", true),
		"a body that is too short": cutting(
			"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", false),
		"a negative length": answering("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"),
		"two lengths": answering("HTTP/1.1 200 OK\r\nContent-Length: " +
			"5\r\nContent-Length: 6\r\n\r\n012345"),
		"a length beyond all bounds": answering(
			"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
		"a chunk that is no chunk": answering(
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
		"chunks that end early": cutting(
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n", false),
		"garbage":          answering("\x00\x01\x02 who goes there\r\n\r\n"),
		"another protocol": answering("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
		"no status":        answering("HTTP/1.1 abc\r\n\r\n"),
		"slow headers": forEver("HTTP/1.1 200 OK\r\n", "X: y\r\n",
			10*time.Millisecond),
		"a header without end": forEver("HTTP/1.1 200 OK\r\nX-Long: ",
			strings.Repeat("x", 1<<16), 0),
		// without a pause these bodies would occupy both processors until the timeout
		"a body without end": forEver("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 1<<16),
			time.Millisecond),
		"slow chunks without end": forEver("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
			"1\r\nx\r\n", 10*time.Millisecond),
		"early hints without end": forEver("HTTP/1.1 103 Early Hints\r\n\r\n",
			strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), time.Millisecond),
		"redirects in a loop": answering(
			"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
		"a redirect to nowhere": answering(
			"HTTP/1.1 302 Found\r\nLocation: http://[::bad/\r\nContent-Length: 0\r\n\r\n"),
		"a redirect to a file": answering(
			"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
		"slow redirects": slowly(answering("HTTP/1.1 302 Found\r\nLocation: " +
			"/again\r\nContent-Length: 1\r\n\r\nx")),
		"switches protocols": answering(
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chaos\r\n\r\n"),
	}
	type cell struct {
		server, way string
		redirects   int
	}
	var cells []cell
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		for _, way := range slices.Sorted(maps.Keys(ways(t))) {
			// on an idle machine each redirect alone ends in time
			if server != "slow redirects" {
				cells = append(cells, cell{server, way, 0})
			}
			cells = append(cells, cell{server, way, 3})
		}
	}
	for i, c := range cells {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(fmt.Sprint(c.server, "/", c.way, "/", c.redirects), func(t *testing.T) {
			t.Parallel()
			a := ways(t)[c.way]
			a.Requests = []attack.Request{{Method: "GET", URL: hostile(t, servers[c.server])}}
			want := 1.
			a.Timeout, a.Redirects = 150*time.Millisecond, c.redirects
			if c.redirects == 0 && strings.Contains(c.server, "redirect") {
				want, a.Timeout = 0, time.Minute
			}
			report, err := attack.Run(t.Context(), a)
			if err != nil && strings.Contains(err.Error(), "i/o timeout") {
				return // a busy machine did not connect in time
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := metric(t, report, "failed/op"); n != want || report.Tasks != 6 ||
				len(report.Broken) > 0 {
				t.Errorf("%d requests, %v failed, statuses %v, errors %v, broken %q", report.Tasks,
					n, report.Statuses, report.Errors, report.Broken)
			}
		})
	}
}

// A malformed or extreme Retry-After must not fail a request or delay the end of the attack.
func TestMalformedRetryAfter(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"soon", "-5", "1e9", "0x10", "99999999999999999999",
		"Mon, 99 Jan 2024 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", " ", "1 2",
		"999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			url := hostile(t, answering(fmt.Sprintf("HTTP/1.1 429 Too Many "+
				"Requests\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", value)))
			for way, a := range ways(t) {
				a.Requests = []attack.Request{{Method: "GET", URL: url}}
				report, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(way, err)
				}
				if n := metric(t, report, "throttled/op"); n != 1 {
					t.Errorf("%s: %v throttled, statuses %v, errors %v", way, n,
						report.Statuses, report.Errors)
				}
			}
		})
	}
}

// Bytes beyond Content-Length must not answer the next request. net/http may accept them if it has
// already sent that request.
func TestExtraBytes(t *testing.T) {
	url := hostile(t, answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n01234HTTP/1.1 500 "+
		"Smuggled\r\nContent-Length: 0\r\n\r\n"))
	for way, a := range ways(t) {
		a.Requests = []attack.Request{{Method: "GET", URL: url}}
		report, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(way, err)
		}
		if report.Tasks != 6 || len(report.Broken) > 0 {
			t.Errorf("%s: %d requests, broken %q", way, report.Tasks, report.Broken)
		}
		if len(report.Statuses) != 1 && way == "closed" {
			t.Errorf("%s: statuses %v, errors %v", way, report.Statuses, report.Errors)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for way, a := range ways(t) {
		a.Requests = []attack.Request{{Method: "GET", URL: url}}
		a.Tasks, a.Duration = 0, time.Hour
		if a.Rate > 0 {
			a.Rate = 1
		}
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			_, err := attack.Run(t.Context(), a)
			if err == nil || strings.Contains(err.Error(), "\n") ||
				!strings.HasPrefix(err.Error(), "nobody answers: dial tcp "+
					strings.TrimPrefix(url, "http://")+": ") {
				t.Errorf("error %v", err)
			}
		})
	}
}

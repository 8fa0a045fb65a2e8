package requests

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// gatheringServer is a server that holds its answers until gate requests have arrived, or for a
// second. It records the requests.
type gatheringServer struct {
	*httptest.Server
	gate int

	mu             sync.Mutex
	open           chan struct{} // closed when gate requests are there
	inFlight, most int
	requests       int
	lines          []string // one of each kind
	peers          map[string]bool
}

func (s *gatheringServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := fmt.Sprintf("%s %s %s %s %q", r.Proto, r.Method, r.Host, r.RequestURI, body)
	for _, name := range []string{"Authorization", "Content-Type", "Traceparent", "X-A"} {
		if v := r.Header.Get(name); v != "" {
			line += " " + name + ": " + v
		}
	}
	if r.Close {
		line += " and close"
	}
	if r.TLS != nil {
		line += fmt.Sprintf(" %s to %q", tls.VersionName(r.TLS.Version), r.TLS.ServerName)
	}
	s.mu.Lock()
	if !slices.Contains(s.lines, line) {
		s.lines = append(s.lines, line)
	}
	s.requests++
	s.peers[r.RemoteAddr] = true
	s.inFlight++
	if s.most = max(s.most, s.inFlight); s.inFlight == s.gate {
		close(s.open)
	}
	open := s.open
	s.mu.Unlock()
	if s.gate > 0 {
		select {
		case <-open:
		case <-time.After(time.Second): // fewer come than the test wants
		}
	}
	s.mu.Lock()
	s.inFlight--
	s.mu.Unlock()
	switch r.URL.Path {
	case "/from":
		http.Redirect(w, r, "/to", http.StatusFound)
	case "/large":
		_, _ = w.Write([]byte(`{"text":"` + strings.Repeat("x", 2<<20) + `","a":1}`))
	}
}

// flagCases are calls of attack. URL, HOST and PORT refer to the server, and ~ is a blank.
var flagCases = []struct {
	args     string
	gate     int
	secure   bool
	most     uint16 // TLS version of the server; 0: any
	want     string // the only line
	requests int    // 0: one
	peers    int    // connections; 0: one
	inFlight int    // at most; 0: not looked at
	code     int    // exit code, if not that of a good attack
	tells    string // in the output
}{
	{args: "URL/a -m PUT", want: `HTTP/1.1 PUT HOST /a ""`},
	{args: "URL --method DELETE", want: `HTTP/1.1 DELETE HOST / ""`},
	{args: "URL -H X-A:b", want: `HTTP/1.1 GET HOST / "" X-A: b`},
	{args: "URL --header Host:shop.example", want: `HTTP/1.1 GET shop.example / ""`},
	{args: "URL -m POST -b text", want: `HTTP/1.1 POST HOST / "text"`},
	{args: "URL -m POST --body @body", want: `HTTP/1.1 POST HOST / "from a file"`},
	{args: "URL/{{name}}/{{age}} --data u.txt --data-format csv",
		want: `HTTP/1.1 GET HOST /ann/7 ""`},
	{args: "URL/?a={{b}} --template=false", want: `HTTP/1.1 GET HOST /?a={{b}} ""`},
	{args: "--targets t.json --targets-format json", want: `HTTP/1.1 PUT HOST /of/json ""`},
	{args: "--curl copied.sh", want: `HTTP/1.1 GET HOST /of/curl "" X-A: c`},
	{args: "URL --session s.yaml", want: `HTTP/1.1 GET HOST /of/session ""`},
	{args: "URL --n 7", requests: 7, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --rate 50 --duration 200ms", requests: 10, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --stages 200ms:50,200ms:0..50", requests: 15, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 5", gate: 5, requests: 5, peers: 5, inFlight: 5,
		want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --clients 3 --n 3", gate: 3, requests: 3, peers: 3, inFlight: 3,
		want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 4 --max-in-flight 2", gate: 2, requests: 4, peers: 2,
		inFlight: 2, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 4 --strategy semaphore --limit 2", gate: 2, requests: 4,
		peers: 2, inFlight: 2, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 6 --strategy bounded_queue_shed --limit 2 --queue 1", gate: 2,
		requests: 3, peers: 2, inFlight: 2, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 4 --connections 2", gate: 2, requests: 4, peers: 2,
		inFlight: 2, want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL --arrival batch --n 4 --http2", gate: 4, requests: 4, inFlight: 4,
		want: `HTTP/2.0 GET HOST / ""`},
	{args: "URL --arrival batch --n 4 --http2 --streams 2", gate: 4, requests: 4, peers: 2,
		inFlight: 4, want: `HTTP/2.0 GET HOST / ""`},
	{args: "URL --n 3 --no-keepalive", requests: 3, peers: 3,
		want: `HTTP/1.1 GET HOST / "" and close`},
	{args: "http://shop.example:PORT/ --resolve shop.example:PORT:127.0.0.1",
		want: `HTTP/1.1 GET shop.example:PORT / ""`},
	{args: "URL/from --redirects 0", want: `HTTP/1.1 GET HOST /from ""`},
	{args: "URL/large --check json~.a~==~1", want: `HTTP/1.1 GET HOST /large ""`, code: 2,
		tells: "the body is longer than 1 MiB: raise"},
	{args: "URL/large --check json~.a~==~1 --check-bytes 3MiB", tells: "status 200 × 1",
		want: `HTTP/1.1 GET HOST /large ""`},
	{args: "URL --name shop", tells: "\n  shop ", want: `HTTP/1.1 GET HOST / ""`},
	{args: "URL/?id=12345&k=54321 --show-query id", tells: "/?id=12345&k=…",
		want: `HTTP/1.1 GET HOST /?id=12345&k=54321 ""`},
	{args: "URL --insecure", secure: true, want: `HTTP/1.1 GET HOST / "" TLS 1.3 to ""`},
	{args: "URL -k --sni shop.example", secure: true,
		want: `HTTP/1.1 GET HOST / "" TLS 1.3 to "shop.example"`},
	{args: "URL -k", secure: true, most: tls.VersionTLS12,
		want: `HTTP/1.1 GET HOST / "" TLS 1.2 to ""`},
	{args: "URL -k --tls-min 1.3", secure: true, most: tls.VersionTLS12, code: 2,
		tells: "no common TLS version"},
}

// The server must see the effect of each flag that changes the requests or their timing.
func TestEachFlag(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	clitest.Write(t, "u.txt", "name;age\nann;7\n")
	clitest.Write(t, "body", "from a file")
	clitest.Write(t, "t.json", `{"method":"PUT","url":"URL/of/json"}`)
	clitest.Write(t, "copied.sh", `curl URL/of/curl -H 'X-A: c'`)
	clitest.Write(t, "s.yaml", "steps:\n- url: /of/session\n")
	for _, c := range flagCases {
		t.Run(c.args, func(t *testing.T) {
			s := &gatheringServer{gate: c.gate, open: make(chan struct{}), peers: map[string]bool{}}
			s.Server = httptest.NewUnstartedServer(s)
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that fail
			if s.TLS = (&tls.Config{MaxVersion: c.most}); c.secure {
				s.StartTLS()
			} else {
				s.Start()
			}
			defer s.Close()
			host := s.Listener.Addr().String()
			_, port, _ := strings.Cut(host, ":")
			filled := strings.NewReplacer("URL", s.URL, "HOST", host, "PORT", port, "~", " ")
			for _, name := range []string{"t.json", "copied.sh"} {
				clitest.Write(t, "template", clitest.Read(t, name))
				defer clitest.Write(t, name, clitest.Read(t, "template"))
				clitest.Write(t, name, filled.Replace(clitest.Read(t, name)))
			}
			args := []string{"attack"}
			for _, arg := range strings.Fields(c.args) {
				args = append(args, filled.Replace(arg))
			}
			length := func(arg string) bool {
				return arg == "--n" || arg == "--duration" || arg == "--stages"
			}
			if !slices.ContainsFunc(args, length) {
				args = append(args, "--n", "1")
			}
			args = append(args, "--quiet", "--force", "--out", "d")
			var o clitest.Outcome
			if c.code == 0 {
				o = clitest.Attacked(t, args...)
			} else if o = clitest.Command(t, args...); o.Code != c.code {
				t.Errorf("exit code %d: %s", o.Code, o.Stderr)
			}
			if !strings.Contains(o.Stdout+o.Stderr, c.tells) {
				t.Errorf("no %q in %s%s", c.tells, o.Stdout, o.Stderr)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			var want []string
			if c.want != "" {
				want = []string{filled.Replace(c.want)}
			}
			if !slices.Equal(s.lines, want) {
				t.Errorf("the server saw %q, want %q", s.lines, want)
			}
			if c.want == "" {
				return
			}
			if s.requests != max(c.requests, 1) || c.gate+c.peers > 0 && len(s.peers) != max(c.peers, 1) {
				t.Errorf("%d requests on %d connections, want %d on %d", s.requests, len(s.peers),
					max(c.requests, 1), max(c.peers, 1))
			}
			if c.inFlight > 0 && s.most != c.inFlight {
				t.Errorf("%d requests in flight, want %d", s.most, c.inFlight)
			}
		})
	}
}

// elsewhere lists the flags of attack that have no case in flagCases. They change the output or the
// number of runs or processes, or need another server.
var elsewhere = strings.Fields("agents agents-wait allow-lost any-address append ca cert count " +
	"data-once dead-letters dns-ttl drain dry-run file force form format help http1.1 http3 junit " +
	"key live nats objective out profile progress-json proto quiet resend resume seed server soak " +
	"stop-if timeout traceparent unix-socket vegeta")

// Each flag of attack must be in flagCases or in elsewhere.
func TestNoFlagLeft(t *testing.T) {
	used := map[string]bool{}
	for _, c := range flagCases {
		for _, arg := range strings.Fields(c.args) {
			name, _, _ := strings.Cut(arg, "=")
			used[name] = true
		}
	}
	help := clitest.Succeed(t, "help", "attack", "--all").Stdout
	found := regexp.MustCompile(`(?m)^ +(?:(-\w), )?--([a-z0-9.-]+)`).FindAllStringSubmatch(help, -1)
	if len(found) < 50 {
		t.Fatalf("%d flags in\n%s", len(found), help)
	}
	for _, m := range found {
		is := used[m[1]] || used["--"+m[2]] || used["--"+m[2]+"=false"]
		if is == slices.Contains(elsewhere, m[2]) {
			t.Errorf("--%s: among flagCases: %t, and elsewhere as well or not at all", m[2], is)
		}
	}
}

func TestAttackProfile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "d")
	clitest.Attacked(t, "attack", startRecordingServer(t, (*http.Request).UserAgent, false).URL, "--n", "20",
		"--profile", "cpu,heap", "--quiet", "--out", out)
	for _, kind := range []string{"cpu", "heap"} {
		found, _ := filepath.Glob(filepath.Join(out, "profiles", "*."+kind+".pb.gz"))
		if len(found) != 1 {
			t.Errorf("%s: %q", kind, found)
			continue
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := profile.ParseData(text); err != nil {
			t.Errorf("%s: %v", found[0], err)
		}
	}
}

func TestAgentsWait(t *testing.T) {
	server, err := hub.StartLocal()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	o := clitest.Command(t, "attack", "http://127.0.0.1:1/", "--n", "20", "--agents", "2",
		"--nats", server.Address, "--agents-wait", "50ms", "--out", filepath.Join(t.TempDir(), "d"))
	const want = "0 of 2 agents connected within 50ms: start more with poolbench worker"
	if o.Code != 2 || !strings.Contains(o.Stderr, want) {
		t.Errorf("exit code %d, %s\nwant 2, %q", o.Code, o.Stderr, want)
	}
}
